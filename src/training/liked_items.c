#include "training/liked_items.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

nln_status nln_liked_items_create(nln_liked_items *out, const nln_ratings *r, int dislikes,
                                  nln_error *err)
{
    size_t n = 0, n_users = nln_ratings_users(r);
    out->start = nln_array_zeroed(n_users + 1, sizeof *out->start);
    out->item = nln_array_zeroed(dislikes ? nln_ratings_size(r, NLN_TRAIN)
                                          : nln_ratings_likes(r, NLN_TRAIN),
                                 sizeof *out->item);
    if (!out->start || !out->item) {
        nln_liked_items_free(out);
        return nln_error_memory(err);
    }
    for (size_t u = 0; u < n_users; u++) {
        for (size_t i = r->start[u]; i < r->start[u + 1]; i++)
            if (nln_ratings_split(r, i) == NLN_TRAIN && (dislikes || nln_ratings_liked(r, i)))
                out->item[n++] = r->item[i];
        out->start[u + 1] = n;
        qsort(out->item + out->start[u], n - out->start[u], sizeof *out->item, by_value);
    }
    return NLN_OK;
}

void nln_liked_items_free(nln_liked_items *liked)
{
    nln_free(liked->start);
    nln_free(liked->item);
    *liked = (nln_liked_items){0};
}

int nln_liked_items_has(const nln_liked_items *liked, int32_t user, int32_t item)
{
    size_t start = liked->start[user], n = liked->start[user + 1] - start;
    return bsearch(&item, liked->item + start, n, sizeof item, by_value) != NULL;
}
