#include "serve/served_model.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"

/* ---- versions ----------------------------------------------------------- */

/* FNV-1a of the file, eight bytes at a time. */
static nln_status hash_file(uint64_t *hash, double *modified, const char *path, nln_error *err)
{
    uint64_t block[4096];
    struct stat about;
    FILE *file = fopen(path, "rb");
    if (!file)
        return nln_error_at(err, NLN_IO, path, 0, 0, "the model file cannot be opened");
    *modified = fstat(fileno(file), &about) ? 0 : (double)about.st_mtime;
    *hash = 14695981039346656037u;
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) {
        memset((char *)block + n, 0, (8 - n % 8) % 8);
        for (size_t i = 0; i < (n + 7) / 8; i++)
            *hash = (*hash ^ block[i] ^ (uint64_t)(i == (n + 7) / 8 - 1 ? n : 0)) * 1099511628211u;
        *hash ^= *hash >> 29;
    }
    int failed = ferror(file);
    fclose(file);
    return failed ? nln_error_at(err, NLN_IO, path, 0, 0, "the model file cannot be read") : NLN_OK;
}

/* ---- loading ------------------------------------------------------------ */

static void computed_clear(nln_computed *c)
{
    nln_free(c->text);
    pthread_mutex_destroy(&c->lock);
}

static void free_served(nln_served *s)
{
    nln_scorer_free(s->scorer);
    nln_item_search_free(s->search);
    nln_titles_free(s->titles);
    nln_model_free(s->model);
    computed_clear(&s->laws);
    computed_clear(&s->map);
    computed_clear(&s->vectors);
    computed_clear(&s->exact);
    nln_free(s);
}

static nln_status fill(nln_served *s, const char *path, const char *titles, nln_error *err)
{
    uint64_t before = 0, after = 0;
    nln_status status = hash_file(&before, &s->modified, path, err);
    if (!status)
        status = nln_model_load(&s->model, path, err);
    if (!status)
        status = hash_file(&after, &s->modified, path, err);
    if (!status && before != after)
        status = nln_error_at(err, NLN_IO, path, 0, 0,
                              "the model file changed while it was read; replace it by renaming");
    if (!status && titles[0])
        status = nln_titles_read(&s->titles, titles, err);
    if (status)
        return status;
    snprintf(s->version, sizeof s->version, "%016llx", (unsigned long long)after);
    s->abilities = nln_model_abilities(s->model);
    if (s->abilities.recommends)
        status = nln_scorer_create(&s->scorer, s->model, err);
    return status ? status : nln_item_search_create(&s->search, s->model, s->titles, err);
}

nln_status nln_served_load(nln_served **out, const char *path, const char *titles, nln_error *err)
{
    *out = NULL;
    nln_served *s = nln_array_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    atomic_init(&s->references, 1);
    pthread_mutex_init(&s->laws.lock, NULL);
    pthread_mutex_init(&s->map.lock, NULL);
    pthread_mutex_init(&s->vectors.lock, NULL);
    pthread_mutex_init(&s->exact.lock, NULL);
    nln_status status = fill(s, path, titles, err);
    if (status)
        free_served(s);
    else
        *out = s;
    return status;
}

void nln_served_release(nln_served *served)
{
    if (served && atomic_fetch_sub(&served->references, 1) == 1) {
        free_served(served);
        nln_memory_trim();
    }
}

nln_served *nln_model_slot_take(nln_model_slot *slot)
{
    pthread_mutex_lock(&slot->lock);
    nln_served *served = slot->served;
    if (served)
        atomic_fetch_add(&served->references, 1);
    pthread_mutex_unlock(&slot->lock);
    return served;
}

void nln_model_slot_put(nln_model_slot *slot, nln_served *served)
{
    pthread_mutex_lock(&slot->lock);
    nln_served *old = slot->served;
    slot->served = served;
    pthread_mutex_unlock(&slot->lock);
    if (old)
        atomic_fetch_add(&slot->swaps, 1);
    nln_served_release(old);
}

const char *nln_served_title(const nln_served *served, size_t item)
{
    return served->titles ? nln_titles_find(served->titles, nln_model_variable(served->model, item))
                          : NULL;
}
