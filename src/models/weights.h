/* The tensors of a model that is not the Neural Logic Network: named arrays in one block. */
#ifndef NLN_MODELS_WEIGHTS_H
#define NLN_MODELS_WEIGHTS_H

#include "base/random.h"
#include "models/training_options.h"
#include "net/net.h"

/* What the number and the sizes of tensors depend on. */
typedef struct nln_sizes {
    const nln_config *config;
    size_t n_variables; /* or items */
    size_t n_users;     /* 0 unless the method knows users; for task link, the relations */
} nln_sizes;

/* How a tensor is drawn before training. */
typedef enum nln_start {
    NLN_START_ZERO,
    NLN_START_ONE,
    NLN_START_TABLE, /* N(0, init-variables) */
    NLN_START_FAN_IN /* uniform in +-1 / sqrt(rows), or N(0, init-scale) if that is set */
} nln_start;

typedef struct nln_shape {
    const char *name;
    size_t rows, columns; /* a vector has one row */
    nln_start start;
    int by_row; /* a table: a request touches some of its rows, and l2-variables holds them; else
                 * all of it is trained at each step, and l2 holds it ... */
    int no_l2;  /* ... unless this is set, as for biases */
} nln_shape;

enum { NLN_MOST_TENSORS = 16 };

typedef struct nln_weights {
    int n;
    nln_shape shape[NLN_MOST_TENSORS];
    real *data[NLN_MOST_TENSORS];
    real *block;
} nln_weights;

/* The shapes alone, without memory for them. */
void nln_weights_list(nln_weights *w, int (*tensor)(nln_shape *, const nln_sizes *, int),
                      const nln_sizes *sizes);
/* Zeroed memory for what is listed. */
nln_status nln_weights_allocate(nln_weights *w, nln_error *err);
void nln_weights_free(nln_weights *w);
void nln_weights_draw(nln_weights *w, const nln_config *c, nln_random *random);

#endif
