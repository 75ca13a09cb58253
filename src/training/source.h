/* Where training gets its requests from: the units of an epoch, and what the result is measured
 * on.  There is a source for each kind of data, made in two steps: the model is made from what
 * the source knows of its data, and then the source is opened for the model. */
#ifndef NLN_TRAINING_SOURCE_H
#define NLN_TRAINING_SOURCE_H

#include "base/thread_pool.h"
#include "data/logic_data.h"
#include "data/ratings.h"
#include "models/model.h"

enum { NLN_NOTE_ROOM = 384 };

typedef struct nln_source nln_source;
struct nln_source {
    /* Of the data, which are borrowed. */
    nln_data_kind data;
    const nln_symbols *names;       /* variables, or items */
    const nln_relations *relations; /* predicates and entities; NULL where there are none */
    size_t n_users;                 /* 0 where there are none; of triples, the relations */
    uint64_t (*fingerprint)(const nln_source *s);
    const char *data_name; /* see data/data_name.h */
    size_t rows[3];        /* by split */
    double newest;         /* the newest interaction of train and valid; NAN without times */

    /* Assigns the defaults that follow the data; NULL where there are none. */
    nln_status (*defaults)(nln_options *options, const nln_source *s, nln_error *err);
    /* Lists the units, and leaves in the model what it keeps of the data.  The model is borrowed;
     * what follows is valid afterwards. */
    nln_status (*open)(nln_source *s, nln_model *model, nln_error *err);
    /* Whether the task can be learned from data that have units; NULL: always. */
    nln_status (*check)(const nln_source *s, nln_error *err);
    char note[NLN_NOTE_ROOM]; /* one sentence about the units, for the log; may be empty */
    size_t n;                 /* units of an epoch */
    double mass;              /* the sum of their weights; 0: all are 1 */
    nln_loss_kind loss_kind;
    /* What labels are measured on, by split: expressions in normal form, or queries; of a task
     * measured by ranks both are empty. */
    nln_exprs exprs[3];
    nln_queries queries[3];
    nln_truths truths[3];

    /* The request of the given units.  What it points to is valid until the next draw. */
    nln_status (*draw)(nln_request *out, nln_source *s, const int32_t *units, int32_t n,
                       uint64_t key, nln_error *err);
    /* What each user met in training, for methods that learn at once: query u is user u.  NULL
     * for labelled expressions. */
    nln_status (*gather)(nln_queries *out, const nln_source *s, nln_error *err);
    /* Puts the units in the random order of an epoch; NULL: any order will do. */
    void (*shuffle)(int32_t *order, nln_source *s, nln_random *random);
    /* How often each variable occurs in an epoch. */
    void (*count)(int32_t *frequency, const nln_source *s);
    /* Measures the model on a split, `quickly` for the choice of an epoch. */
    nln_status (*measure)(nln_metrics *out, const nln_source *s, const nln_model *model,
                          nln_split split, int quickly, nln_error *err);
    /* Makes of a trained model what validation finds better, and says it in a sentence, or in none;
     * `noise` is the share of flipped labels that training has found.  NULL where there is nothing
     * to try. */
    nln_status (*refine)(char note[NLN_NOTE_ROOM], const nln_source *s, nln_model *model,
                         double noise, nln_thread_pool *pool, nln_error *err);
    /* Says in a sentence, or in none, that a simpler model does better on validation than a trained
     * one with these metrics; NULL where there is none to compare with. */
    nln_status (*compare)(char note[NLN_NOTE_ROOM], const nln_source *s, const nln_model *model,
                          const nln_metrics *valid, nln_error *err);
    void (*free)(nln_source *s);
};

/* Labelled expressions. */
nln_status nln_source_of_expressions(nln_source **out, const nln_data *data, nln_error *err);
/* Histories and targets. */
nln_status nln_source_of_ratings(nln_source **out, const nln_ratings *ratings, nln_error *err);
/* Questions of a knowledge graph with their answers. */
nln_status nln_source_of_links(nln_source **out, const nln_triples *triples, nln_error *err);

/* How many labelled examples a split has, and their log-odds. */
size_t nln_source_size(const nln_source *s, nln_split split);
nln_status nln_source_scores(double *score, const nln_source *s, const nln_model *model,
                             nln_split split, nln_error *err);
/* `measure` of a source with labels. */
nln_status nln_source_measure_labels(nln_metrics *out, const nln_source *s, const nln_model *model,
                                     nln_split split, int quickly, nln_error *err);

#endif
