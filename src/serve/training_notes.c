#include "serve/training_notes.h"

#include <pthread.h>
#include <string.h>

#include "base/array.h"

enum { MOST_NOTES = 4096 };

typedef struct note {
    const char *kind;
    char *text; /* a JSON object */
} note;

struct nln_training_notes {
    pthread_mutex_t lock;
    note *list; /* [n], the first of which has the number `first` */
    size_t n, room;
    int64_t first;
    int open; /* there may be more */
};

nln_training_notes *nln_training_notes_create(void)
{
    nln_training_notes *notes = nln_array_zeroed(1, sizeof *notes);
    if (notes) {
        notes->first = 1;
        pthread_mutex_init(&notes->lock, NULL);
    }
    return notes;
}

static void clear(nln_training_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        nln_free(notes->list[i].text);
    notes->first += (int64_t)notes->n;
    notes->n = 0;
}

void nln_training_notes_free(nln_training_notes *notes)
{
    if (!notes)
        return;
    clear(notes);
    pthread_mutex_destroy(&notes->lock);
    nln_free(notes->list);
    nln_free(notes);
}

void nln_training_notes_begin(nln_training_notes *notes)
{
    pthread_mutex_lock(&notes->lock);
    clear(notes);
    notes->open = 1;
    pthread_mutex_unlock(&notes->lock);
}

void nln_training_notes_add(nln_training_notes *notes, const char *kind, nln_text *object)
{
    nln_text_add(object, "", 1);
    pthread_mutex_lock(&notes->lock);
    if (notes->n == MOST_NOTES) {
        nln_free(notes->list[0].text);
        memmove(notes->list, notes->list + 1, --notes->n * sizeof *notes->list);
        notes->first++;
    }
    if (object->failed || !NLN_ARRAY_RESERVE(notes->list, notes->room, notes->n + 1))
        nln_text_free(object);
    else
        notes->list[notes->n++] = (note){kind, object->bytes};
    pthread_mutex_unlock(&notes->lock);
    *object = (nln_text){0};
}

void nln_training_notes_end(nln_training_notes *notes)
{
    pthread_mutex_lock(&notes->lock);
    notes->open = 0;
    pthread_mutex_unlock(&notes->lock);
}

void nln_training_notes_print(nln_text *out, nln_training_notes *notes, const char *key,
                              const char *kind)
{
    nln_json_out_open(out, key, '[');
    pthread_mutex_lock(&notes->lock);
    for (size_t i = 0; i < notes->n; i++)
        if (strcmp(notes->list[i].kind, kind) == 0) {
            const char *text = notes->list[i].text;
            nln_json_out_open(out, NULL, text[0]);
            nln_text_add(out, text + 1, strlen(text) - 1);
        }
    pthread_mutex_unlock(&notes->lock);
    nln_json_out_close(out, ']');
}

/* ---- streams -------------------------------------------------------------- */

typedef struct follower {
    nln_training_notes *notes;
    int64_t next;  /* the number of the next note */
    double ping;   /* seconds */
    double told;   /* when something was last sent */
    nln_text text; /* of the note being sent */
    size_t sent;
} follower;

static void free_follower(void *context)
{
    follower *f = context;
    nln_text_free(&f->text);
    nln_free(f);
}

/* The text of the next note or a ping; -1 after the end of a training. */
static int next_text(follower *f)
{
    nln_training_notes *notes = f->notes;
    int ended = 0;
    f->text.n = f->sent = 0;
    pthread_mutex_lock(&notes->lock);
    int64_t end = notes->first + (int64_t)notes->n;
    f->next = f->next < notes->first ? notes->first : f->next;
    if (f->next < end) {
        const note *n = &notes->list[f->next - notes->first];
        nln_text_format(&f->text, "id: %lld\nevent: %s\ndata: %s\n\n", (long long)f->next, n->kind,
                        n->text);
        f->next++;
    } else if (!notes->open)
        ended = 1;
    pthread_mutex_unlock(&notes->lock);
    if (!ended && !f->text.n && nln_clock_now() - f->told > f->ping)
        nln_text_format(&f->text, ": ping\n\n");
    return ended ? -1 : 0;
}

static ptrdiff_t read_follower(void *context, char *bytes, size_t n)
{
    follower *f = context;
    if (f->sent == f->text.n && next_text(f) < 0)
        return -1;
    size_t left = f->text.n - f->sent, some = left < n ? left : n;
    if (!some)
        return f->text.failed ? -2 : 0;
    memcpy(bytes, f->text.bytes + f->sent, some);
    f->sent += some;
    f->told = nln_clock_now();
    return (ptrdiff_t)some;
}

int nln_training_notes_follow(nln_stream *out, nln_training_notes *notes, int64_t after,
                              double ping)
{
    pthread_mutex_lock(&notes->lock);
    int64_t end = notes->first + (int64_t)notes->n;
    int nothing = !notes->open && (!notes->n || after + 1 >= end);
    pthread_mutex_unlock(&notes->lock);
    follower *f = nothing ? NULL : nln_array_zeroed(1, sizeof *f);
    if (!f)
        return 0;
    *f = (follower){.notes = notes, .next = after + 1, .ping = ping, .told = nln_clock_now()};
    *out = (nln_stream){read_follower, free_follower, f};
    return 1;
}
