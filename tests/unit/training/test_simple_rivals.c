/* Simpler models on the same validation: a sentence where one does better, and none elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "made_facts.h"
#include "training/simple_rivals.h"

static nln_metrics ranked(double ndcg)
{
    return (nln_metrics){.n = 1,
                         .full = {.n = 1, .n_cuts = 2, .cut = {5, 10}, .ndcg = {1 - ndcg, ndcg}}};
}

static void the_best_simple_model_is_named(void **state)
{
    (void)state;
    nln_ratings *r = likes_random(60, 25, 12, 3);
    nln_model *m = likes_model(r->items, "task=topk dimension=6");
    char note[NLN_NOTE_ROOM];
    nln_error err = {0};
    nln_metrics bad = ranked(0), perfect = ranked(1);
    tiny_need(nln_simple_rivals_compare(note, m, r, &bad, &err), &err);
    assert_non_null(strstr(note, "does better"));
    assert_non_null(strstr(note, "full nDCG@10"));
    assert_non_null(strstr(note, "this model 0.0000; `nln train --model "));
    tiny_need(nln_simple_rivals_compare(note, m, r, &perfect, &err), &err);
    assert_string_equal(note, "");
    nln_model_free(m);
    nln_ratings_free(r);
}

static void preference_is_compared_by_its_area(void **state)
{
    (void)state;
    nln_ratings *r = likes_random(60, 25, 12, 3);
    nln_model *m = likes_model(r->items, "task=preference dimension=6");
    char note[NLN_NOTE_ROOM];
    nln_error err = {0};
    nln_metrics bad = {.n = 1, .auc = 0}, perfect = {.n = 1, .auc = 1};
    tiny_need(nln_simple_rivals_compare(note, m, r, &bad, &err), &err);
    assert_non_null(strstr(note, "AUC"));
    assert_non_null(strstr(note, "--model popularity"));
    tiny_need(nln_simple_rivals_compare(note, m, r, &perfect, &err), &err);
    assert_string_equal(note, "");
    nln_model_free(m);
    nln_ratings_free(r);
}

/* Without likes in validation nothing can be said; facts, which only the network takes, do not stop
 * the others. */
static void validation_and_facts(void **state)
{
    (void)state;
    nln_ratings *r = facts_ratings(1);
    nln_model *m = likes_model(r->items, "task=topk dimension=6");
    char note[NLN_NOTE_ROOM];
    nln_error err = {0};
    nln_metrics none = {0}, bad = ranked(0);
    facts_add(r);
    tiny_need(nln_simple_rivals_compare(note, m, r, &none, &err), &err);
    assert_string_equal(note, "");
    tiny_need(nln_simple_rivals_compare(note, m, r, &bad, &err), &err);
    assert_non_null(strstr(note, "does "));
    assert_non_null(r->facts);
    nln_model_free(m);
    nln_ratings_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_best_simple_model_is_named),
                                       cmocka_unit_test(preference_is_compared_by_its_area),
                                       cmocka_unit_test(validation_and_facts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
