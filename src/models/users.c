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
