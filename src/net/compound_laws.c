#include "net/compound_laws.h"

#include <string.h>

#include "math/blas.h"
#include "math/kernels.h"
#include "net/law_tile.h"

/* A law as steps: vectors 0 .. 2 are a, b and c, and step i computes vector N_OPERANDS + i. */
enum { N_OPERANDS = 3, MOST_STEPS = 5, MOST_VECTORS = N_OPERANDS + MOST_STEPS, TILE = 32 };

typedef struct step {
    nln_module_id module;
    int operand[NLN_MOST_OPERANDS];
} step;

typedef struct program {
    step step[MOST_STEPS];
    int n_steps, left, right; /* the vectors of both sides */
    int n_operands;
} program;

/* A tile of rows.  It takes the scratch of the laws of one vector, which have done with it: 17 d +
 * 6 h numbers a row, for a third of their rows, which have 6 d + 12 h and more. */
typedef struct tile {
    int n, d, h;
    int32_t row[N_OPERANDS][TILE];
    const real *weight;     /* [n] */
    real *x[MOST_VECTORS];  /* [n, d] */
    real *dx[MOST_VECTORS]; /* [n, d] */
    real *z[MOST_STEPS];    /* [n, h] hidden layers */
    real *dz;               /* [n, h] */
    real *side;             /* [n, d] a copy of the left side, then its gradient */
} tile;
_Static_assert(TILE *(2 * MOST_VECTORS + 1) <= 6 * NLN_LAW_TILE, "vectors fit the scratch");
_Static_assert(TILE *(MOST_STEPS + 1) <= 12 * NLN_LAW_TILE, "hidden layers fit the scratch");

/* Appends the steps of a side in postfix, and returns its vector. */
static int add_side(program *p, const char *side)
{
    int stack[MOST_VECTORS] = {0}, n = 0;
    for (; *side; side++) {
        if (*side >= 'a' && *side <= 'c') {
            stack[n++] = *side - 'a';
            continue;
        }
        nln_module_id module = *side == '!'   ? NLN_MODULE_NOT
                               : *side == '&' ? NLN_MODULE_AND
                                              : NLN_MODULE_OR;
        step *s = &p->step[p->n_steps];
        n -= nln_module_table[module].arity;
        *s = (step){module, {stack[n], stack[n + nln_module_table[module].arity - 1]}};
        stack[n++] = N_OPERANDS + p->n_steps++;
    }
    return stack[0];
}

static program compile(const nln_compound_law *law)
{
    program p = {.n_operands = strchr(law->left, 'c') ? 3 : 2};
    p.left = add_side(&p, law->left);
    p.right = add_side(&p, law->right);
    return p;
}

int32_t nln_compound_laws_partner(uint64_t key, int32_t row, int which, int32_t n_rows)
{
    uint64_t bits = nln_random_mix(key ^ nln_random_mix(2 * (uint64_t)row + (uint64_t)which));
    return NLN_ROW_LEAF + (int32_t)((bits >> 32) * (uint64_t)(n_rows - NLN_ROW_LEAF) >> 32);
}

static tile cut_tile(const nln_workspace *work, int32_t first, int32_t n_rows, uint64_t key)
{
    const nln_law_list *l = &work->law;
    int n = l->n - first < TILE ? l->n - first : TILE;
    tile t = {.n = n, .d = work->dim, .h = work->hidden, .weight = l->weight + first};
    size_t vectors = (size_t)n * (size_t)t.d, hidden = (size_t)n * (size_t)t.h;
    real *at = work->laws.tile;
    for (int i = 0; i < MOST_VECTORS; i++, at += 2 * vectors) {
        t.x[i] = at;
        t.dx[i] = at + vectors;
    }
    t.side = at;
    t.dz = at + vectors;
    for (int i = 0; i < MOST_STEPS; i++)
        t.z[i] = t.dz + (size_t)(i + 1) * hidden;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < N_OPERANDS; k++) {
            int32_t a = l->row[first + i];
            t.row[k][i] = k ? nln_compound_laws_partner(key, a, k - 1, n_rows) : a;
            memcpy(t.x[k] + i * t.d, work->H + (size_t)t.row[k][i] * (size_t)t.d,
                   (size_t)t.d * sizeof(real));
        }
    return t;
}

static void step_forward(const tile *t, const nln_net *net, const program *p, int i)
{
    const step *s = &p->step[i];
    const nln_module *m = &net->modules.of[s->module];
    int n = t->n, d = t->d, h = t->h;
    nln_blas_nn(t->z[i], h, t->x[s->operand[0]], d, m->in, h, n, h, d);
    if (m->inputs > 1)
        nln_blas_nn_add(t->z[i], h, t->x[s->operand[1]], d, m->in + (size_t)d * (size_t)h, h, n, h,
                        d);
    nln_kernels_get()->relu(t->z[i], t->z[i], NULL, m->bias, n, h);
    nln_blas_nn(t->x[N_OPERANDS + i], d, t->z[i], h, m->out, d, n, d, h);
}

static void step_backward(const tile *t, nln_modules *gradient, const nln_net *net,
                          const program *p, int i)
{
    const step *s = &p->step[i];
    const nln_module *back = &net->transposed.of[s->module];
    nln_module *g = &gradient->of[s->module];
    int n = t->n, d = t->d, h = t->h;
    const real *dy = t->dx[N_OPERANDS + i];
    nln_blas_tn_add(g->out, d, t->z[i], h, dy, d, h, d, n);
    nln_blas_nn(t->dz, h, dy, d, back->out, h, n, h, d);
    nln_kernels_get()->relu_back(t->dz, g->bias, t->z[i], 1, n, h);
    for (int k = 0; k < back->inputs; k++) {
        nln_blas_tn_add(g->in + (size_t)(k * d) * (size_t)h, h, t->x[s->operand[k]], d, t->dz, h, d,
                        h, n);
        nln_blas_nn_add(t->dx[s->operand[k]], d, t->dz, h, back->in + k * d, back->inputs * d, n, d,
                        h);
    }
}

/* The term of the law, with the gradients of both sides. */
static double side_terms(const tile *t, const nln_net *net, const program *p)
{
    const nln_kernels *k = nln_kernels_get();
    size_t size = (size_t)t->n * (size_t)t->d;
    const real *right = t->x[p->right];
    real cosine[TILE], of_left[TILE], of_right[TILE], slope[TILE];
    memcpy(t->side, t->x[p->left], size * sizeof(real));
    k->inverse_length(of_right, right, t->n, t->d);
    k->cosine(cosine, of_left, t->side, right, of_right, t->d, t->n, t->d);
    double loss = nln_law_terms(slope, cosine, t->weight, net->alpha, t->n);
    k->cosine_back(t->side, t->dx[p->right], slope, cosine, of_left, right, of_right, t->d, t->n,
                   t->d);
    k->axpy(t->dx[p->left], 1, t->side, size);
    return loss;
}

static double law_gradient(const tile *t, nln_workspace *work, const nln_net *net, const program *p)
{
    size_t d = (size_t)t->d;
    for (int i = 0; i < N_OPERANDS + p->n_steps; i++)
        memset(t->dx[i], 0, (size_t)t->n * d * sizeof(real));
    for (int i = 0; i < p->n_steps; i++)
        step_forward(t, net, p, i);
    nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
    double loss = side_terms(t, net, p);
    nln_profile_mark(&work->profile, NLN_PHASE_LAWS);
    for (int i = p->n_steps; i-- > 0;)
        step_backward(t, &work->gradient->modules, net, p, i);
    for (int k = 0; k < p->n_operands; k++)
        for (int i = 0; i < t->n; i++)
            nln_kernels_get()->axpy(work->dH + (size_t)t->row[k][i] * d, 1,
                                    t->dx[k] + (size_t)i * d, d);
    nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
    return loss;
}

double nln_compound_laws_gradient(nln_workspace *work, const nln_net *net, int32_t n_rows,
                                  unsigned laws, uint64_t key)
{
    double loss = 0;
    for (int law = 0; law < NLN_N_COMPOUND_LAWS; law++) {
        if (!(laws >> (NLN_N_LAWS + law) & 1))
            continue;
        program p = compile(&nln_compound_law_table[law]);
        for (int32_t first = 0; first < work->law.n; first += TILE) {
            tile t = cut_tile(work, first, n_rows, key);
            loss += law_gradient(&t, work, net, &p);
        }
    }
    return loss;
}
