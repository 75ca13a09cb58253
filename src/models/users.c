#include "models/users.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"

nln_status nln_users_create(nln_users **out, const nln_symbols *names, size_t n_literals,
                            nln_error *err)
{
    nln_users *users = nln_memory_zeroed(1, sizeof *users);
    if (!users)
        return nln_error_memory(err);
    users->names = nln_symbols_copy(names);
    users->start = nln_array_zeroed((size_t)nln_symbols_count(names) + 1, sizeof *users->start);
    users->literal = nln_array_zeroed(n_literals, sizeof *users->literal);
    users->grade = nln_array_zeroed(n_literals, sizeof *users->grade);
    if (!users->names || !users->start || !users->literal || !users->grade) {
        nln_users_free(users);
        return nln_error_memory(err);
    }
    *out = users;
    return NLN_OK;
}

nln_status nln_users_of_ratings(nln_users **out, const nln_ratings *r,
                                const nln_rating_grades *grading, nln_error *err)
{
    size_t n = nln_ratings_users(r),
           *order = nln_array_zeroed(nln_ratings_longest(r), sizeof *order);
    nln_status status = order ? nln_users_create(out, r->users, r->n, err) : nln_error_memory(err);
    for (size_t u = 0; !status && u < n; u++) {
        size_t first = r->start[u], last = r->start[u + 1];
        nln_ratings_timeline(order, r, u);
        (*out)->start[u + 1] = last;
        for (size_t at = first; at < last; at++) {
            size_t i = order[at - first];
            int32_t item = r->item[i] + 1;
            (*out)->literal[at] = nln_ratings_liked(r, i) ? item : -item;
            (*out)->grade[at] = (uint8_t)nln_rating_grades_grade(grading, (double)r->rating[i]);
        }
    }
    nln_free(order);
    return status;
}

void nln_users_free(nln_users *users)
{
    if (!users)
        return;
    nln_symbols_free(users->names);
    nln_free(users->start);
    nln_free(users->literal);
    nln_free(users->grade);
    nln_free(users);
}

nln_literal nln_users_literal(const nln_users *users, size_t i)
{
    int32_t literal = users->literal[i];
    return (nln_literal){(size_t)abs(literal) - 1, literal > 0, users->grade[i]};
}
