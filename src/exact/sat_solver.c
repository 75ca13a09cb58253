#include "exact/sat_solver.h"

#include <ccadical.h>
#include <limits.h>
#include <stdlib.h>

#include "net/profile.h"

static void count(void *context, int *clause)
{
    size_t *n = context;
    (void)clause;
    ++*n;
}

static int signed_for(int32_t literal, const uint8_t *first)
{
    return first && !first[abs(literal) - 1] ? -literal : literal;
}

nln_status nln_sat_solver_run(nln_sat_run *out, uint8_t *value, const nln_cnf *cnf,
                              const uint8_t *first, size_t most_conflicts, nln_error *err)
{
    double start = nln_profile_now();
    CCaDiCaL *solver = ccadical_init();
    *out = (nln_sat_run){.answer = -1};
    if (!solver)
        return nln_error_memory(err);
    ccadical_set_option(solver, "quiet", 1);
    ccadical_set_learn(solver, &out->conflicts, INT_MAX, count);
    for (size_t c = 0; c < cnf->n_clauses; c++) {
        for (size_t i = cnf->start[c]; i < cnf->start[c + 1]; i++)
            ccadical_add(solver, signed_for(cnf->literal[i], first));
        ccadical_add(solver, 0);
    }
    if (most_conflicts)
        ccadical_limit(solver, "conflicts",
                       most_conflicts < INT_MAX ? (int)most_conflicts : INT_MAX);
    int answer = ccadical_solve(solver);
    out->answer = answer == 10 ? 1 : answer == 20 ? 0 : -1;
    /* Only variables that occur: the solver has none of the others. */
    for (size_t i = 0; value && answer == 10 && i < cnf->n_literals; i++) {
        int32_t v = abs(cnf->literal[i]);
        value[v - 1] = ccadical_val(solver, signed_for(v, first)) > 0;
    }
    ccadical_release(solver);
    out->seconds = nln_profile_now() - start;
    return NLN_OK;
}
