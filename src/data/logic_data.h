/* A set of labelled expressions in three splits, with the true values of the
 * variables where they are known. */
#ifndef NLN_DATA_LOGIC_DATA_H
#define NLN_DATA_LOGIC_DATA_H

#include "base/input.h"
#include "base/symbols.h"
#include "data/data_name.h"
#include "logic/expr.h"

typedef struct nln_labelled {
    nln_exprs exprs;
    uint8_t *labels; /* [exprs.n], 0 or 1 */
    size_t labels_room;
} nln_labelled;

struct nln_data {
    nln_symbols *symbols;     /* the variables */
    nln_relations *relations; /* predicates and entities */
    nln_atoms *atoms;         /* of all expressions */
    nln_labelled split[3];    /* by nln_split */
    int8_t *truth;            /* [variables]: 0, 1, or -1 where unknown; NULL if none is known */
    size_t truth_room;
    char name[NLN_DATA_NAME_ROOM]; /* what it was read from; "": from memory */
};

/* All names of the data. */
nln_vocabulary nln_data_names(const nln_data *data);

/* Adds the label of the last expression, after nln_exprs_finish. */
nln_status nln_labelled_add(nln_labelled *set, int label, nln_error *err);

/* Appends every expression<TAB>label line, adding new names to `names`; a first line sent<TAB>label
 * switches to the published dialect. */
nln_status nln_labelled_read(nln_labelled *set, const nln_vocabulary *names, nln_input *in,
                             nln_error *err);

/* Reads name<TAB>value lines (header `variable value` allowed), or finds that
 * file in a folder; truth[id] for the names `symbols` knows, -1 elsewhere. */
nln_status nln_truth_read(int8_t *truth, const nln_symbols *symbols, const char *path,
                          nln_error *err);

/* Begins the message with the number of the expression that it is about; `i` counts from 0. */
void nln_data_place(nln_error *err, nln_split split, size_t i);

#endif
