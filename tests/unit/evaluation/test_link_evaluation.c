#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "evaluation/link_evaluation.h"
#include "family.h"

/* Ranks by the book: every other entity that is no known answer, ties by half. */
static void ranks_are_filtered_and_expected(void **state)
{
    (void)state;
    nln_triples *t = family_triples(8);
    nln_model *m = family_model(NULL, t, "task=link epochs=3 dimension=6 threads=1");
    size_t n = nln_model_variables(m), relations = nln_triples_relations(t);
    nln_error err = {0};
    nln_metrics got, threads;
    nln_options *o = tiny_options("predict", "threads=3");
    /* Two entities with the same vectors tie. */
    real *x = m->weights.data[0];
    size_t d = m->weights.shape[0].columns;
    memcpy(x + 3 * d, x + 1 * d, d * sizeof *x);
    memcpy(x + 6 * d, x + 1 * d, d * sizeof *x);
    tiny_need(nln_evaluate_links(&got, m, t, NLN_TEST, NULL, &err), &err);
    tiny_need(nln_evaluate_links(&threads, m, t, NLN_TEST, o, &err), &err);
    assert_memory_equal(&got, &threads, sizeof got);

    nln_link_scorer *s = NULL;
    double *score = calloc(n, sizeof *score), sum[2] = {0}, hits[3] = {0};
    assert_int_equal(nln_link_scorer_create(&s, m, NULL), NLN_OK);
    for (size_t i = 0; i < 2 * t->n[NLN_TEST]; i++) {
        nln_triple f = t->list[NLN_TEST][i / 2];
        int heads = i % 2 == 1;
        nln_link_question q = {.entity = heads ? f.tail : f.head,
                               .relation = f.relation + (heads ? (int32_t)relations : 0)};
        int32_t answer = heads ? f.head : f.tail;
        double rank = 1;
        assert_int_equal(nln_link_scorer_read(s, &q, 1, NULL), NLN_OK);
        nln_link_scorer_scores(score, s, 0);
        for (int32_t e = 0; e < (int32_t)n; e++) {
            int known = 0;
            for (int split = 0; split < 3; split++)
                for (size_t k = 0; k < t->n[split]; k++) {
                    nln_triple g = t->list[split][k];
                    known |= g.relation == f.relation && (heads ? g.tail : g.head) == q.entity &&
                             (heads ? g.head : g.tail) == e;
                }
            if (e != answer && !known)
                rank += score[e] > score[answer] ? 1 : score[e] == score[answer] ? 0.5 : 0;
        }
        sum[heads] += 1 / rank;
        hits[0] += rank <= 1;
        hits[1] += rank <= 3;
        hits[2] += rank <= 10;
    }
    double per = (double)t->n[NLN_TEST];
    assert_int_equal(got.links.n, 2 * t->n[NLN_TEST]);
    assert_true(fabs(got.links.tails - sum[0] / per) < 1e-3);
    assert_true(fabs(got.links.heads - sum[1] / per) < 1e-3);
    assert_true(fabs(got.links.mrr - (sum[0] + sum[1]) / (2 * per)) < 1e-3);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(got.links.hits[i] - hits[i] / (2 * per)) < 1e-9);
    assert_int_equal(got.links.unseen, 1); /* the stranger */
    nln_link_scorer_free(s);
    free(score);
    nln_options_free(o);
    nln_model_free(m);
    nln_triples_free(t);
}

/* One by one, the ranks have the same means as all together. */
static void placings_are_what_is_measured(void **state)
{
    static const double cuts[] = {1, 3, 10};
    (void)state;
    nln_triples *t = family_triples(20);
    nln_model *m = family_model(NULL, t, "task=link epochs=20 dimension=16 threads=1");
    nln_metrics got;
    nln_link_placing *placing = NULL;
    nln_error err = {0};
    size_t n = t->n[NLN_TEST];
    double heads = 0, tails = 0, hits[3] = {0};
    tiny_need(nln_evaluate_links(&got, m, t, NLN_TEST, NULL, &err), &err);
    tiny_need(nln_place_links(&placing, m, t, NLN_TEST, NULL, &err), &err);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(placing[i].head, t->list[NLN_TEST][i].head);
        assert_int_equal(placing[i].tail, t->list[NLN_TEST][i].tail);
        assert_int_equal(placing[i].relation, t->list[NLN_TEST][i].relation);
        heads += 1 / placing[i].head_rank;
        tails += 1 / placing[i].tail_rank;
        for (int c = 0; c < 3; c++)
            hits[c] += (placing[i].head_rank <= cuts[c]) + (placing[i].tail_rank <= cuts[c]);
    }
    assert_true(heads != tails && fabs(got.links.heads - heads / (double)n) < 1e-3);
    assert_true(fabs(got.links.tails - tails / (double)n) < 1e-3);
    for (int c = 0; c < 3; c++)
        assert_true(fabs(got.links.hits[c] - hits[c] / (2 * (double)n)) < 0.05);
    nln_free(placing);
    assert_int_equal(nln_place_links(&placing, m, t, (nln_split)5, NULL, &err), NLN_INVALID);
    assert_null(placing);
    nln_model_free(m);
    nln_triples_free(t);
}

/* A model for which all entities are the same has the mean rank of chance. */
static void constant_models_rank_in_the_middle(void **state)
{
    (void)state;
    nln_triples *t = family_triples(8);
    nln_model *m = family_model(NULL, t,
                                "task=link epochs=1 dimension=4 threads=1 premises=0 "
                                "link-rules=false");
    nln_metrics got;
    nln_error err = {0};
    memset(m->weights.data[0], 0,
           m->weights.shape[0].rows * m->weights.shape[0].columns * sizeof(real));
    tiny_need(nln_evaluate_links(&got, m, t, NLN_TEST, NULL, &err), &err);
    double middle = (1 + (double)nln_model_variables(m)) / 2;
    if (!(got.links.mean_rank > middle - 1 && got.links.mean_rank <= middle))
        fail_msg("a mean rank of %g, where the middle is %g", got.links.mean_rank, middle);
    assert_true(got.links.hits[2] == 0);
    nln_model_free(m);
    nln_triples_free(t);
}

static void other_models_and_names_are_refused(void **state)
{
    (void)state;
    nln_triples *t = family_triples(4), *more = family_triples(5);
    nln_model *m = family_model(NULL, t, "task=link epochs=1 dimension=4 threads=1");
    nln_metrics got;
    nln_error err = {0};
    assert_int_equal(nln_evaluate_links(&got, m, more, NLN_TEST, NULL, &err), NLN_UNKNOWN);
    assert_int_equal(nln_evaluate_links(&got, m, t, (nln_split)5, NULL, &err), NLN_INVALID);
    nln_data *data = tiny_data("variables=5 expressions=50");
    nln_model *logic = tiny_train(NULL, data, "dimension=4 epochs=1 threads=1");
    assert_int_equal(nln_evaluate_links(&got, logic, t, NLN_TEST, NULL, &err), NLN_INVALID);
    nln_model_free(logic);
    nln_data_free(data);
    nln_model_free(m);
    nln_triples_free(t);
    nln_triples_free(more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_are_filtered_and_expected),
                                       cmocka_unit_test(placings_are_what_is_measured),
                                       cmocka_unit_test(constant_models_rank_in_the_middle),
                                       cmocka_unit_test(other_models_and_names_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
