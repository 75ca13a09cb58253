#include "serve/item_search.h"

#include <string.h>

#include "base/array.h"

/* Every item is one line: its id, a tab, and its title, in lower case. */
struct nln_item_search {
    char *text;
    size_t *start; /* [n + 1] */
    size_t n, n_text, room;
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int add(nln_item_search *s, const char *text, char end)
{
    size_t n = strlen(text);
    if (!NLN_ARRAY_RESERVE(s->text, s->room, s->n_text + n + 1))
        return 0;
    for (size_t i = 0; i < n; i++)
        s->text[s->n_text++] = lower(text[i]);
    s->text[s->n_text++] = end;
    return 1;
}

nln_status nln_item_search_create(nln_item_search **out, const nln_model *model,
                                  const nln_titles *titles, nln_error *err)
{
    nln_item_search *s = nln_array_zeroed(1, sizeof *s);
    size_t n = nln_model_variables(model);
    int ok = s && (s->start = nln_array_zeroed(n + 1, sizeof *s->start));
    for (size_t i = 0; ok && i < n; i++) {
        const char *id = nln_model_variable(model, i);
        const char *title = titles ? nln_titles_find(titles, id) : NULL;
        ok = add(s, id, '\t') && add(s, title ? title : "", '\0');
        if (ok)
            s->start[i + 1] = s->n_text;
    }
    if (ok)
        s->n = n;
    else
        nln_item_search_free(s);
    *out = ok ? s : NULL;
    return ok ? NLN_OK : nln_error_memory(err);
}

void nln_item_search_free(nln_item_search *search)
{
    if (!search)
        return;
    nln_free(search->text);
    nln_free(search->start);
    nln_free(search);
}

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80);
}

enum { MOST_WORDS = 16, LONGEST_QUERY = 256 };
typedef struct query {
    char whole[LONGEST_QUERY], text[LONGEST_QUERY];
    const char *words[MOST_WORDS];
    int n_words;
} query;

static void read_query(query *q, const char *text)
{
    size_t n = 0, begin = strspn(text, " \t");
    *q = (query){.n_words = 0};
    for (const char *at = text + begin; *at && n + 1 < LONGEST_QUERY; at++)
        q->text[n] = q->whole[n] = lower(*at), n++;
    for (size_t i = 0; i < n; i++) {
        if (q->text[i] == ' ' || q->text[i] == '\t')
            q->text[i] = '\0';
        else if ((i == 0 || !q->text[i - 1]) && q->n_words < MOST_WORDS)
            q->words[q->n_words++] = q->text + i;
    }
    while (n > 0 && q->whole[n - 1] == ' ')
        q->whole[--n] = '\0';
}

/* 0 is the best and 4 no match. */
static int quality(const query *q, const char *line)
{
    const char *title = strchr(line, '\t') + 1;
    size_t n_whole = strlen(q->whole);
    int at_starts = 1;
    if ((size_t)(title - 1 - line) == n_whole && memcmp(line, q->whole, n_whole) == 0)
        return 0;
    if (n_whole && strncmp(title, q->whole, n_whole) == 0)
        return 1;
    for (int w = 0; w < q->n_words; w++) {
        int starts = 0, found = 0;
        for (const char *at = line; !starts && (at = strstr(at, q->words[w])); at++) {
            found = 1;
            starts = at == line || !is_word(at[-1]);
        }
        if (!found)
            return 4;
        at_starts &= starts;
    }
    return at_starts ? 2 : 3;
}

size_t nln_item_search_find(size_t *items, size_t room, const nln_item_search *search,
                            const char *text)
{
    query q;
    size_t found[4] = {0}, n = 0;
    read_query(&q, text);
    /* Of each quality at most `room` items are kept, in their order, and then joined. */
    for (int wanted = 0; wanted < 4; wanted++)
        for (size_t i = 0; i < search->n && (wanted == 0 || n < room); i++) {
            int quality_of = quality(&q, search->text + search->start[i]);
            if (wanted == 0 && quality_of < 4)
                found[quality_of]++;
            if (quality_of == wanted && n < room)
                items[n++] = i;
        }
    return found[0] + found[1] + found[2] + found[3];
}
