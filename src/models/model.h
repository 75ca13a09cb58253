/* A model: the weights of its method, the names of its variables, and the options it was
 * made with. */
#ifndef NLN_MODELS_MODEL_H
#define NLN_MODELS_MODEL_H

#include "base/symbols.h"
#include "data/data_provenance.h"
#include "data/rating_grades.h"
#include "models/item_knowledge.h"
#include "models/item_rules.h"
#include "models/links.h"
#include "models/queries.h"
#include "models/task.h"
#include "models/training_options.h"
#include "models/training_record.h"
#include "models/users.h"
#include "models/weights.h"

enum { NLN_MODEL_MOST_LONGEST = 999999 }; /* what `longest` can tell */
enum { NLN_MODEL_NAME_ROOM = 32 };        /* of the name of a network's tensor */

struct nln_model {
    nln_options *options;
    nln_config config;
    nln_symbols *symbols;
    nln_relations *relations; /* predicates and entities; NULL if there are none */
    const nln_task *task;
    const struct nln_method *method;
    nln_net *net[NLN_MOST_NETWORKS];          /* of the Neural Logic Network ... */
    int n_networks;                           /* ... and their number; any other method has 0 */
    char (*tensor_name)[NLN_MODEL_NAME_ROOM]; /* of all networks but the first, end to end */
    nln_weights weights;                      /* of any other method */
    nln_rating_grades grading;                /* of ratings */
    nln_data_provenance origin;               /* of ratings; empty if it is not known */
    nln_item_rules
        *rules; /* that the scores of top-k add to the network's; NULL if there are none */
    nln_item_knowledge *knowledge; /* facts about items that they add; NULL if there are none */
    int32_t n_user_variables;      /* of the network: 0 or one for each user of its training */
    nln_users *users;              /* NULL unless it was trained on ratings and keeps them */
    nln_links *links;              /* NULL unless it was trained on triples */
    nln_record record;             /* how it came about ... */
    int has_record;                /* ... if that is known */
    double temperature;            /* scores are multiplied by it: 1 until calibrated */
    double longest; /* literals of the longest expression of its training; 0: not known */
    double widest;  /* operands of the widest AND or OR of its training; 0: not known */
    double carry;   /* how much of a user's surprises is added then: 0 until calibrated */
};

/* A model with undrawn weights; takes a copy of the names. */
nln_status nln_model_create(nln_model **out, const nln_symbols *symbols, const nln_options *options,
                            nln_error *err);
/* The same for a method that learns about n_users users, or relations for task link. */
nln_status nln_model_create_for(nln_model **out, const nln_symbols *symbols, size_t n_users,
                                const nln_options *options, nln_error *err);
/* The same with the predicates and entities of `names`, which may have none; takes copies. */
nln_status nln_model_create_of(nln_model **out, const nln_vocabulary *names, size_t n_users,
                               const nln_options *options, nln_error *err);
/* The grades that such options make: of ratings, for a method that reads them. */
int nln_model_grades(const nln_config *config);
/* The users' own variables that such options make for n_users users: --user-vectors. */
size_t nln_model_user_variables(const nln_config *config, size_t n_users);
/* It has learned about each user of its training. */
int nln_model_knows_users(const nln_model *model);
/* Rows of a network's tables for each member: the variables, the grades, the users. */
int32_t nln_model_rows(const nln_model *model);
/* The most interactions of a history, its last ones, that answers depend on. */
size_t nln_model_reach(const nln_model *model);
/* The same of the entities and the predicates. */
int32_t nln_model_entity_rows(const nln_model *model);
int32_t nln_model_predicate_rows(const nln_model *model);
/* The names of a model, for parsing; the atoms are the caller's. */
nln_vocabulary nln_model_names(const nln_model *model, nln_atoms *atoms);
void nln_model_draw(nln_model *model, nln_random *random);

/* One tensor after the other, for files and reports; 0 after the last. */
int nln_model_get_tensor(nln_net_tensor *out, const nln_model *model, int index);
/* What the tensor `name` of a network is called in its model: in network 0 just that, and in
 * network 1 `network1.name`. */
void nln_model_name_tensor(char out[NLN_MODEL_NAME_ROOM], int network, const char *name);

/* Fails with a sentence unless the model is a Neural Logic Network; `what` is what was asked
 * of it. */
nln_status nln_model_need_network(const nln_model *model, const char *what, nln_error *err);

/* Appends `e`, which has no quantifiers, in the model's normal form to `out`.  Where that has more
 * clauses than the limit, it is the negation normal form. */
nln_status nln_model_normalize(nln_exprs *out, const nln_model *model, nln_expr e, nln_error *err);
/* In the place of a number of orders: every variable takes its solved value. */
enum { NLN_ORDERS_HARD = 0 };
/* Appends the dual of an expression, its negation by the laws of De Morgan: AND and OR exchanged,
 * literals negated. */
nln_status nln_model_append_dual(nln_exprs *out, nln_expr e, nln_error *err);

/* Appends `e` in prenex form and then in the model's normal form; its atoms are those of `atoms`.
 */
nln_status nln_model_prenex(nln_exprs *out, const nln_model *model, nln_atoms *atoms, nln_expr e,
                            nln_error *err);
/* The same without quantifiers: over all entities, or over a number of drawn instances; the
 * draws depend on the expression alone. */
nln_status nln_model_ground(nln_exprs *out, const nln_model *model, nln_atoms *atoms, nln_expr e,
                            nln_error *err);

/* The same for an expression whose names are numbered by `names`, as data read from a file are; its
 * atoms are added to `atoms`. */
nln_status nln_model_add(nln_exprs *out, const nln_model *model, nln_atoms *atoms,
                         const nln_vocabulary *names, nln_expr e, nln_error *err);

/* map[i] is the model's number of the name that `names` gives number i, or -1; malloced. */
nln_status nln_model_map(int32_t **map, const nln_model *model, const nln_symbols *names,
                         nln_error *err);
/* The same for users; where the model keeps none, all are -1. */
nln_status nln_model_map_users(int32_t **map, const nln_model *model, const nln_symbols *names,
                               nln_error *err);

/* Appends every variable as an expression of its own. */
nln_status nln_model_list_variables(nln_exprs *out, const nln_model *model, nln_error *err);

/* The log-odds of expressions in normal form, times the temperature: for the network those of
 * the mean probability (of ratings, the mean log-odds) over the networks, their members and, for
 * orders > 1, over that many random orders with the model's noise on the variables. */
nln_status nln_model_scores(double *score, const nln_model *model, const nln_exprs *list,
                            int orders, int n_threads, nln_error *err);

/* The log-odds of each query's target, times the temperature, with what is carried over. */
nln_status nln_model_answers(double *score, const nln_model *model, const nln_queries *queries,
                             int n_threads, nln_error *err);
/* How much more than predicted each query's user liked the last of the history (--surprises): the
 * mean of 1 or 0 less the probability that the model gives it after what came before, shrunk
 * towards 0 where there are few. */
nln_status nln_model_surprises(double *surprise, const nln_model *model, const nln_queries *queries,
                               int n_threads, nln_error *err);
/* What is to be added to the log-odds of each query: its surprise times the carry. */
nln_status nln_model_carried(double *out, const nln_model *model, const nln_queries *queries,
                             int n_threads, nln_error *err);

/* Fails with a sentence when score[i], that of `what` number i + 1, is not a number. */
nln_status nln_model_check_scores(const double *score, size_t n, const char *what, nln_error *err);

/* For the network: the vectors of expressions in normal form, in random order number `order` or,
 * for -1, in the given order: out is [networks, members, list->n, dim]. */
nln_status nln_model_vectors(real *out, const nln_model *model, const nln_exprs *list, int order,
                             nln_error *err);

#endif
