/* Where the time goes: each stretch of a shard is charged to a phase.  Costs one
 * test when off. */
#ifndef NLN_NET_PROFILE_H
#define NLN_NET_PROFILE_H

#include <time.h>

typedef enum nln_phase {
    NLN_PHASE_PLAN,
    NLN_PHASE_GATHER, /* moving rows: inputs, users' gradients, shards */
    NLN_PHASE_GEMM,
    NLN_PHASE_ELEMENT, /* bias, relu, variables, losses of the tree */
    NLN_PHASE_LAWS,    /* similarity terms of the laws */
    NLN_PHASE_ADAM,
    NLN_N_PHASES
} nln_phase;

typedef struct nln_profile {
    int on;
    double last;
    double seconds[NLN_N_PHASES];
} nln_profile;

/* What computing without learning has cost: time by phases, and flops that zeros have spared. */
typedef struct nln_running_cost {
    nln_profile profile;
    double spared;
} nln_running_cost;

static inline double nln_profile_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void nln_profile_start(nln_profile *p)
{
    if (p->on)
        p->last = nln_profile_now();
}

/* Charges the time since the last start or mark to `phase`. */
static inline void nln_profile_mark(nln_profile *p, nln_phase phase)
{
    if (!p->on)
        return;
    double now = nln_profile_now();
    p->seconds[phase] += now - p->last;
    p->last = now;
}

#endif
