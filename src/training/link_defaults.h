/* Defaults of task link that follow the graph.
 *
 * Three numbers decide: the triples of training, how many of them an entity has, and how many
 * relations hold between two entities.
 *
 *     more triples       shorter vectors, larger batches, and drawn competitors, since an epoch
 *                        teaches more and costs more
 *     sparser            more N3, since few triples hold a vector
 *     dense and small    two networks, since a second one costs little and the mean of both errs
 * less one relation       between any two entities: which one it is is a question with one answer,
 *                        and asking it, too, teaches a dense graph
 *
 * What the caller sets stays.  docs/links.md has the numbers. */
#ifndef NLN_TRAINING_LINK_DEFAULTS_H
#define NLN_TRAINING_LINK_DEFAULTS_H

#include "data/triples.h"

typedef struct nln_graph_size {
    size_t entities, triples; /* of training */
    size_t pairs;             /* of entities, in this order, between which a relation holds */
} nln_graph_size;

nln_status nln_link_defaults_size(nln_graph_size *out, const nln_triples *triples, nln_error *err);
/* Assigns the defaults to options of "train". */
nln_status nln_link_defaults_assign(nln_options *options, const nln_graph_size *size,
                                    nln_error *err);

#endif
