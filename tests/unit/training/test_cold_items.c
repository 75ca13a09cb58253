/* Items that nobody met take the place of those that facts link them to; a trained model
 * recommends them, and its file keeps what it knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "made_facts.h"
#include "training/cold_items.h"

static void a_cold_item_has_the_mean_of_its_neighbours(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("u +a +b +c +cold");
    nln_error err = {0};
    nln_input *in = NULL;
    const char *text = "cold near a\ncold near b\n";
    tiny_need(nln_input_memory(&in, text, strlen(text), "facts", &err), &err);
    tiny_need(nln_item_facts_read(&r->facts, r->items, in, &err), &err);
    nln_input_close(in);
    nln_item_knowledge *k = facts_knowledge(r);
    nln_model *m = likes_model(r->items, "task=topk dimension=6");
    const int32_t frequency[] = {1, 1, 1, 0};
    real before[24];
    size_t n = 0;
    memcpy(before, m->net[0]->vector, sizeof before);
    tiny_need(nln_cold_items_place(&n, m, k, frequency, &err), &err);
    assert_int_equal(n, 1);
    assert_memory_equal(before, m->net[0]->vector, 18 * sizeof(real));
    double length[3] = {0}, sum[6];
    for (int i = 0; i < 6; i++) {
        sum[i] = (double)before[i] + (double)before[6 + i];
        length[0] += (double)(before[i] * before[i]);
        length[1] += (double)(before[6 + i] * before[6 + i]);
        length[2] += sum[i] * sum[i];
    }
    for (int i = 0; i < 6; i++) {
        double wanted = sum[i] * (sqrt(length[0]) + sqrt(length[1])) / 2 / sqrt(length[2]);
        assert_true(fabs((double)m->net[0]->vector[18 + i] - wanted) < 1e-5);
    }
    nln_item_knowledge_free(k);
    nln_model_free(m);
    nln_ratings_free(r);
}

/* The best item after liking one. */
static const char *best_after(const nln_model *m, const char *name)
{
    nln_literal history = {0, 1, 0};
    nln_recommendation best;
    nln_error err = {0};
    size_t n = 0;
    tiny_need(nln_model_find(&history.item, m, name, &err), &err);
    tiny_need(nln_recommend(&best, &n, 1, m, NULL, &history, 1, 0, &err), &err);
    assert_int_equal(n, 1);
    return nln_model_variable(m, best.item);
}

static void a_model_of_facts_recommends_what_nobody_rated(void **state)
{
    (void)state;
    nln_ratings *r = facts_ratings(1);
    nln_report report;
    nln_error err = {0};
    nln_model *copy = NULL;
    char path[] = "/tmp/nln-facts-XXXXXX";
    facts_add(r);
    nln_model *m = likes_train(&report, r, "task=topk dimension=8 epochs=2 rules=5 threads=2");
    assert_non_null(m->knowledge);
    assert_string_equal(best_after(m, "a3"), "b3");
    assert_string_equal(best_after(m, "a29"), "b29"); /* which nobody likes in training */
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    tiny_need(nln_model_save(m, path, &err), &err);
    tiny_need(nln_model_load(&copy, path, &err), &err);
    unlink(path);
    size_t n = nln_model_variables(m), from = 0, to = 0;
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    const nln_literal history[] = {{2, 1, 0}, {5, 0, 0}, {7, 1, 0}};
    tiny_need(nln_recommend_scores(a, m, NULL, history, 3, &err), &err);
    tiny_need(nln_recommend_scores(b, copy, NULL, history, 3, &err), &err);
    assert_memory_equal(a, b, n * sizeof *a);
    nln_item_fact facts[2];
    tiny_need(nln_model_find(&from, copy, "a4", &err), &err);
    tiny_need(nln_model_find(&to, copy, "b4", &err), &err);
    assert_int_equal(nln_model_facts_between(facts, copy, from, to), 1);
    assert_string_equal(facts[0].relation, "complement");
    assert_string_equal(facts[0].head, "a4");
    assert_string_equal(facts[0].tail, "b4");
    assert_int_equal(nln_model_facts_between(facts, copy, from, from), 0);
    free(a);
    free(b);
    nln_model_free(copy);
    nln_model_free(m);
    nln_ratings_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cold_item_has_the_mean_of_its_neighbours),
        cmocka_unit_test(a_model_of_facts_recommends_what_nobody_rated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
