/* A small knowledge graph in which uncles follow from parents and brothers. */
#ifndef NLN_TESTS_FAMILY_H
#define NLN_TESTS_FAMILY_H

#include "data/triples.h"
#include "tiny.h"

/* Families of two brothers; the child of each has the other as uncle.  Every fourth uncle is in
 * the test split, and the one before it in validation; one fact has an entity of its own. */
static inline nln_triples *family_triples(int n)
{
    nln_triples *t = NULL;
    nln_error err = {0};
    tiny_need(nln_triples_create(&t, &err), &err);
    for (int round = 0; round < 2; round++) /* all facts of training first */
        for (int i = 0; i < n; i++) {
            char one[16], two[16], child[2][16];
            snprintf(one, sizeof one, "a%d", i);
            snprintf(two, sizeof two, "b%d", i);
            for (int k = 0; k < 2; k++) {
                snprintf(child[k], sizeof child[k], "%c%d", "cd"[k], i);
                int split = i % 4 == 3 ? NLN_TEST : i % 4 == 2 && k ? NLN_VALID : NLN_TRAIN;
                if (!round)
                    tiny_need(
                        nln_triples_add(t, NLN_TRAIN, child[k], "parent", k ? two : one, &err),
                        &err);
                if (!round)
                    tiny_need(nln_triples_add(t, NLN_TRAIN, k ? two : one, "brother", k ? one : two,
                                              &err),
                              &err);
                if ((split == NLN_TRAIN) == !round)
                    tiny_need(nln_triples_add(t, (nln_split)split, child[k], "uncle", k ? one : two,
                                              &err),
                              &err);
            }
        }
    tiny_need(nln_triples_add(t, NLN_TEST, "stranger", "parent", "a0", &err), &err);
    return t;
}

static inline nln_model *family_model(nln_report *report, const nln_triples *t,
                                      const char *settings)
{
    nln_options *o = tiny_options("train", settings);
    nln_model *model = NULL;
    nln_error err = {0};
    tiny_need(nln_train_links(&model, report, t, o, NULL, &err), &err);
    nln_options_free(o);
    return model;
}

#endif
