/* Words in, states out: a recurrent layer of a model, in one direction or in both.
 *
 * The model has a table of word vectors and, for each direction, the tensors in, state, bias and,
 * for GRU, inner of net/cell_weights.h.  One's own in each thread. */
#ifndef NLN_MODELS_RECURRENT_ENCODER_H
#define NLN_MODELS_RECURRENT_ENCODER_H

#include "models/table_learner.h"
#include "models/word_sequences.h"

/* Which tensors of the model it reads with. */
typedef struct nln_reading {
    nln_cell cell;
    int n_directions; /* 1: from the first word to the last; 2: and from the last to the first */
    int table;        /* [words, dim] */
    int first;        /* of the first direction's, those of the second follow */
} nln_reading;

/* The tensors of the directions, as nln_method has them, counted from 0; 0 after the last. */
int nln_recurrent_encoder_tensor(nln_shape *out, const nln_config *c, nln_reading reading,
                                 int index);

typedef struct nln_recurrent_encoder {
    const nln_model *model;
    nln_reading reading;
    int width;                /* of a row of last: directions * hidden */
    nln_word_sequences words; /* to be filled in with the sequences */
    nln_recurrent *layer[2];
    real *x;    /* [distinct words, dim] their vectors, after dropout */
    real *last; /* [sequences, width] the state after each sequence, before dropout */
    size_t x_room, last_room;

    /* In training alone. */
    real *dx[2];     /* [distinct words, dim] of each direction */
    real *turned[2]; /* the transposed weights of each direction */
    size_t dx_room[2];
} nln_recurrent_encoder;

/* nln_recurrent_encoder_free releases it, also after a failure. */
nln_status nln_recurrent_encoder_create(nln_recurrent_encoder *r, const nln_model *model,
                                        nln_reading reading, int learns, nln_error *err);
void nln_recurrent_encoder_free(nln_recurrent_encoder *r);

/* Once the words are filled in.  In training, between begin and end of b's planning: touches the
 * words; else b is NULL.  Nothing fails after it. */
nln_status nln_recurrent_encoder_plan(nln_recurrent_encoder *r, nln_table_learner *b,
                                      nln_error *err);

/* Fills in last.  In training, b is given and the key says what is dropped of the vectors. */
void nln_recurrent_encoder_forward(nln_recurrent_encoder *r, const nln_table_learner *b,
                                   uint64_t key);
/* Given the gradient of last, with the same key: adds to those of all tensors. */
void nln_recurrent_encoder_backward(nln_recurrent_encoder *r, const real *dlast,
                                    nln_table_learner *b, uint64_t key);

#endif
