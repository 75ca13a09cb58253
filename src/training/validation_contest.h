/* Likes of validation with their candidates and what each kind of score gives these: what the
 * weights between scores are chosen by. */
#ifndef NLN_TRAINING_VALIDATION_CONTEST_H
#define NLN_TRAINING_VALIDATION_CONTEST_H

#include "data/ratings.h"
#include "models/model.h"

/* The kinds of scores: of the network, of the rules over the whole history and over its last part,
 * and of facts about items. */
enum { NLN_BY_NETWORK, NLN_BY_WHOLE, NLN_BY_RECENT, NLN_BY_FACTS, NLN_BY_KINDS };

/* Some likes of validation, each with its history and candidates; the first of these is the like
 * itself. */
typedef struct nln_contest {
    const nln_model *model;
    const nln_ratings *ratings;
    size_t n, each;             /* likes, and room for candidates of each */
    nln_queries queries;        /* the histories, whole; the target is the like */
    size_t *n_candidates;       /* [n] */
    int32_t *candidate;         /* [n, each] */
    float *score[NLN_BY_KINDS]; /* [n, each]; by facts: NULL until they are scored */
    double *all;                /* [items] scratch */
    uint8_t *seen, *excluded;   /* [items] scratch, 0 between uses */
} nln_contest;

/* Likes that are spread evenly over validation; n is 0 where there are none. */
nln_status nln_contest_list(nln_contest *c, const nln_model *model, const nln_ratings *ratings,
                            nln_error *err);
/* The same, scored by the network. */
nln_status nln_contest_open(nln_contest *c, const nln_model *model, const nln_ratings *ratings,
                            nln_error *err);
void nln_contest_close(nln_contest *c);
/* Scores by the rules. */
void nln_contest_score_rules(nln_contest *c, const nln_item_rules *rules);
/* The scores of `all` become those of a like's candidates. */
void nln_contest_keep(nln_contest *c, int kind, size_t like);
/* The spread of scores among the candidates of a like, on average. */
double nln_contest_spread(const nln_contest *c, int kind);
/* The mean of 1 / log2(1 + rank) over the likes by the sum of the scores, each times its factor,
 * where a tie counts half. */
double nln_contest_quality(const nln_contest *c, const double factor[NLN_BY_KINDS]);

#endif
