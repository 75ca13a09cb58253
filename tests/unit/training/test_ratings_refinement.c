/* What a trained network gets besides its weights, and the sentence about it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "made_facts.h"
#include "training/ratings_refinement.h"

/* A model of the settings, refined by the ratings. */
static nln_model *refine(char note[NLN_NOTE_ROOM], const nln_ratings *r, const char *settings)
{
    nln_model *m = likes_model(r->items, settings);
    nln_source *source = NULL;
    nln_thread_pool *pool = NULL;
    nln_error err = {0};
    note[0] = '\0';
    tiny_need(nln_thread_pool_create(&pool, 1, &err), &err);
    tiny_need(nln_source_of_ratings(&source, r, &err), &err);
    tiny_need(source->open(source, m, &err), &err);
    tiny_need(nln_ratings_refinement_make(note, source, r, m, pool, &err), &err);
    source->free(source);
    nln_thread_pool_free(pool);
    return m;
}

static void facts_are_weighed(void **state)
{
    (void)state;
    char note[NLN_NOTE_ROOM];
    nln_ratings *r = facts_ratings(1);
    facts_add(r);
    nln_model *m = refine(note, r, "task=topk dimension=6 threads=1 rules=10");
    assert_non_null(m->knowledge);
    assert_non_null(strstr(note, "60 facts about items are added to the scores"));
    nln_model_free(m);
    nln_ratings_free(r);
}

static void rules_are_weighed_or_left_out(void **state)
{
    (void)state;
    char note[NLN_NOTE_ROOM];
    nln_ratings *r = likes_random(120, 20, 14, 5);
    nln_model *m = refine(note, r, "task=topk dimension=6 threads=1 rules=10");
    assert_non_null(strstr(note, m->rules ? "rules found by counting are added"
                                          : "rules found by counting add nothing"));
    nln_model_free(m);
    m = refine(note, r, "task=topk dimension=6 threads=1 rules=0");
    assert_null(m->rules);
    assert_string_equal(note, "");
    nln_model_free(m);
    nln_ratings_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(facts_are_weighed),
                                       cmocka_unit_test(rules_are_weighed_or_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
