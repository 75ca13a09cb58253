/* Clauses of the SAT problem for tests. */
#ifndef NLN_TESTS_CLAUSES_H
#define NLN_TESTS_CLAUSES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "data/cnf.h"

static inline nln_cnf *clauses_read(const char *text)
{
    nln_input *in = NULL;
    nln_cnf *c = NULL;
    if (nln_input_memory(&in, text, strlen(text), "clauses", NULL) ||
        nln_cnf_read_input(&c, in, NULL))
        abort();
    nln_input_close(in);
    return c;
}

/* m random clauses of up to three of n variables. */
static inline nln_cnf *clauses_random(int n, int m, uint64_t seed)
{
    size_t size = 64 + (size_t)m * 64, at = 0;
    char *text = calloc(size, 1);
    nln_random random = nln_random_seed(seed, 1);
    if (!text)
        abort();
    at += (size_t)snprintf(text, size, "p cnf %d %d\n", n, m);
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < 3; k++) {
            int v = 1 + (int)nln_random_below(&random, (uint64_t)n);
            at += (size_t)snprintf(text + at, size - at, "%d ",
                                   nln_random_below(&random, 2) ? v : -v);
        }
        at += (size_t)snprintf(text + at, size - at, "0\n");
    }
    nln_cnf *c = clauses_read(text);
    free(text);
    return c;
}

/* The most clauses that any assignment satisfies, by trying all. */
static inline size_t clauses_most(const nln_cnf *c)
{
    uint8_t value[20];
    size_t most = 0;
    for (uint32_t bits = 0; bits >> c->n_variables == 0; bits++) {
        for (size_t v = 0; v < c->n_variables; v++)
            value[v] = bits >> v & 1;
        size_t n = nln_cnf_count(NULL, c, value);
        most = n > most ? n : most;
    }
    return most;
}

#endif
