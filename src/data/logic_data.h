/* A set of labelled expressions in three splits, with the true values of the
 * variables where they are known. */
#ifndef NLN_DATA_LOGIC_DATA_H
#define NLN_DATA_LOGIC_DATA_H

#include "base/symbols.h"
#include "data/data_name.h"
#include "data/data_provenance.h"
#include "data/labelled.h"

struct nln_data {
    nln_symbols *symbols;     /* the variables */
    nln_relations *relations; /* predicates and entities */
    nln_atoms *atoms;         /* of all expressions */
    nln_labelled split[3];    /* by nln_split */
    int8_t *truth;            /* [variables]: 0, 1, or -1 where unknown; NULL if none is known */
    size_t truth_room;
    char name[NLN_DATA_NAME_ROOM]; /* what it was read from; "": from memory */
    nln_data_provenance origin;    /* of data that were split from one file; else empty */
};

/* All names of the data. */
nln_vocabulary nln_data_names(const nln_data *data);

/* Reads name<TAB>value lines (header `variable value` allowed), or finds that
 * file in a folder; truth[id] for the names `symbols` knows, -1 elsewhere. */
nln_status nln_truth_read(int8_t *truth, const nln_symbols *symbols, const char *path,
                          nln_error *err);

/* Deals the training lines of one file, the only ones that there are, to the three splits by the
 * options of "expressions", and notes in `origin` how (expression_split.c). */
nln_status nln_data_deal(nln_data *data, const nln_options *options, nln_error *err);

/* Begins the message with the number of the expression that it is about; `i` counts from 0. */
void nln_data_place(nln_error *err, nln_split split, size_t i);

#endif
