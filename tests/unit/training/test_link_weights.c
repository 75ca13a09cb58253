#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "family.h"
#include "models/link_learner.h"
#include "models/link_scorer.h"
#include "training/link_weights.h"

#define SETTINGS "task=link epochs=30 dimension=16 learning-rate=0.03 threads=1 networks=2 "

static double score(const nln_model *m, int32_t entity, int32_t relation, int32_t answer)
{
    nln_link_scorer *s = NULL;
    nln_link_question q = {.entity = entity, .relation = relation};
    double *all = calloc(nln_model_variables(m), sizeof *all), found;
    assert_int_equal(nln_link_scorer_create(&s, m, NULL), NLN_OK);
    assert_int_equal(nln_link_scorer_read(s, &q, 1, NULL), NLN_OK);
    nln_link_scorer_vectors(all, s, 0);
    found = all[answer];
    nln_link_scorer_free(s);
    free(all);
    return found;
}

/* With inverses of weight w, the score of r(h, t) is its own plus w times that of the inverse of r,
 * (t, h), and nothing else of the model moves. */
static void inverses_add_their_scores(void **state)
{
    (void)state;
    nln_triples *t = family_triples(8);
    nln_model *m = family_model(NULL, t, SETTINGS "link-rules=false link-inverses=false");
    size_t n = nln_link_relation_numbers(m);
    int32_t relations = nln_symbols_count(m->links->relations), answers = 9;
    real *learned = calloc(n, sizeof *learned);
    double *own = calloc((size_t)(2 * relations * answers), sizeof *own),
           *back = calloc((size_t)(2 * relations * answers), sizeof *back);
    memcpy(learned, nln_link_relations(m), n * sizeof *learned);
    for (int32_t r = 0; r < 2 * relations; r++)
        for (int32_t e = 0; e < answers; e++) {
            own[r * answers + e] = score(m, 3, r, e);
            back[r * answers + e] = score(m, e, (r + relations) % (2 * relations), 3);
        }
    nln_link_mix_inverses(m, learned, 0.25);
    for (int32_t r = 0; r < 2 * relations; r++)
        for (int32_t e = 0; e < answers; e++) {
            double sum = own[r * answers + e] + 0.25 * back[r * answers + e];
            assert_true(fabs(score(m, 3, r, e) - sum) < 1e-4 * (1 + fabs(sum)));
        }
    nln_link_mix_inverses(m, learned, 0);
    assert_memory_equal(learned, nln_link_relations(m), n * sizeof *learned);
    free(learned);
    free(own);
    free(back);
    nln_model_free(m);
    nln_triples_free(t);
}

/* Weights are chosen on validation, where 0 is one of them: neither inverses nor rules can make it
 * worse.  A network that has learned little gains from the rules, since uncles follow. */
static void validation_never_falls(void **state)
{
#define LITTLE "task=link epochs=2 dimension=16 learning-rate=0.01 networks=2 "
    static const char *const settings[] = {LITTLE "threads=1 link-rules=false link-inverses=false",
                                           LITTLE "threads=1 link-rules=false", LITTLE "threads=1",
                                           LITTLE "threads=3"};
    nln_report report[4];
    (void)state;
    nln_triples *t = family_triples(40);
    for (int i = 0; i < 4; i++)
        nln_model_free(family_model(&report[i], t, settings[i]));
    assert_true(report[1].valid.links.mrr >= report[0].valid.links.mrr);
    assert_true(report[2].valid.links.mrr > report[1].valid.links.mrr);
    assert_true(report[3].valid.links.mrr == report[2].valid.links.mrr);
    nln_triples_free(t);
}

/* Without validation there is nothing to choose by. */
static void nothing_is_fitted_without_validation(void **state)
{
    (void)state;
    nln_triples *t = family_triples(8);
    nln_model *m = family_model(NULL, t, SETTINGS "link-rules=false link-inverses=false");
    char note[NLN_NOTE_ROOM] = "";
    size_t n = t->n[NLN_VALID];
    t->n[NLN_VALID] = 0;
    assert_int_equal(nln_link_weights_fit(note, m, t, m->links->facts, NULL), NLN_OK);
    assert_string_equal(note, "");
    assert_null(m->links->rules);
    t->n[NLN_VALID] = n;
    nln_model_free(m);
    nln_triples_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(inverses_add_their_scores),
                                       cmocka_unit_test(validation_never_falls),
                                       cmocka_unit_test(nothing_is_fitted_without_validation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
