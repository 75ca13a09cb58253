#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "models/method.h"
#include "models/model.h"

#define EXPECT(method, condition)                        \
    do {                                                 \
        if (!(condition))                                \
            fail_msg("%s: " #condition, (method)->name); \
    } while (0)

static const nln_option *find_option(const char *name)
{
    int n;
    const nln_option *table = nln_config_table(&n);
    for (int i = 0; i < n; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    fail_msg("there is no option %s", name);
    return NULL;
}

/* Same names, same order, same number. */
static void names_are_the_choices_of_option_model(void **state)
{
    (void)state;
    char joined[512] = "";
    for (int i = 0; i < nln_method_count(); i++) {
        strcat(joined, i ? "|" : "");
        strcat(joined, nln_method_get(i)->name);
    }
    assert_string_equal(joined, find_option("model")->choices);
}

static void every_method_learns_in_one_way(void **state)
{
    (void)state;
    for (int i = 0; i < nln_method_count(); i++) {
        const nln_method *m = nln_method_get(i);
        EXPECT(m, !m->learn != !m->solve);
        EXPECT(m, m->learn || !m->needs_counts); /* `solve` gets no frequencies */
    }
}

static void every_task_is_answered(void **state)
{
    (void)state;
    const unsigned logic = 1u << NLN_TASK_LOGIC, link = 1u << NLN_TASK_LINK;
    const unsigned all = (1u << nln_task_count()) - 1;
    for (int i = 0; i < nln_method_count(); i++) {
        const nln_method *m = nln_method_get(i);
        EXPECT(m, m->tasks && !(m->tasks & ~all));
        EXPECT(m, !m->judge == !(m->tasks & logic));
        EXPECT(m, !m->ask == !(m->tasks & ~logic & ~link));
        EXPECT(m, !(m->tasks & link) || m->links || m->solve || m->for_links);
        EXPECT(m, m->ask || !m->answer);
        EXPECT(m, m->knows_users || !m->needs_user);
        EXPECT(m, m->reads_history || !m->reads_grades);
        EXPECT(m, m->ask || !(m->knows_users || m->reads_history));
    }
}

static void stored_tensors_have_all_functions(void **state)
{
    (void)state;
    for (int i = 0; i < nln_method_count(); i++) {
        const nln_method *m = nln_method_get(i);
        const nln_storage *s = m->storage;
        EXPECT(m, m->tensor);
        EXPECT(m, !s || (s->create && s->free && s->draw && s->get && s->changed));
    }
}

/* ---- abilities ----------------------------------------------------------------------------- */

/* The numbers of all tensors, and whether one of them is a matrix under l2. */
static size_t size_of(int *has_matrix, const nln_method *m, const nln_sizes *sizes)
{
    const char *names[NLN_MOST_TENSORS];
    nln_shape shape = {0};
    size_t size = 0;
    *has_matrix = 0;
    for (int i = 0; m->tensor(&shape, sizes, i); i++) {
        EXPECT(m, i < NLN_MOST_TENSORS);
        EXPECT(m, shape.name && *shape.name && shape.rows && shape.columns);
        for (int j = 0; j < i; j++)
            EXPECT(m, strcmp(names[j], shape.name) != 0);
        names[i] = shape.name;
        size += shape.rows * shape.columns;
        *has_matrix |= !shape.by_row && !shape.no_l2;
    }
    return size;
}

/* What a method is said to have is what the sizes of its tensors depend on. */
static void abilities_are_those_of_the_tensors(void **state)
{
    (void)state;
    const nln_config plain = {
        .dimension = 8, .hidden = 6, .members = 1, .networks = 1, .layers = 2, .history = 5};
    nln_config longer = plain, wider = plain, deeper = plain;
    longer.dimension = 16;
    wider.hidden = 7;
    deeper.layers = 3;
    for (int i = 0; i < nln_method_count(); i++) {
        const nln_method *m = nln_method_get(i);
        int has_matrix, ignored;
        size_t size = size_of(&has_matrix, m, &(nln_sizes){&plain, 5, 4});
        EXPECT(m, size > 0);
        EXPECT(m, size_of(&ignored, m, &(nln_sizes){&plain, 6, 4}) > size);
        EXPECT(m, (size_of(&ignored, m, &(nln_sizes){&plain, 5, 9}) > size) ==
                      (m->knows_users || m->links));
        EXPECT(m, (size_of(&ignored, m, &(nln_sizes){&longer, 5, 4}) > size) ==
                      !!(m->has & NLN_HAS_VECTORS));
        EXPECT(m, (size_of(&ignored, m, &(nln_sizes){&wider, 5, 4}) > size) ==
                      !!(m->has & NLN_HAS_HIDDEN));
        EXPECT(m, (size_of(&ignored, m, &(nln_sizes){&deeper, 5, 4}) > size) ==
                      !!(m->has & NLN_HAS_LAYERS));
        if (m->learn)
            EXPECT(m, has_matrix == !!(m->has & NLN_HAS_WEIGHTS));
    }
}

static void steps_and_histories_are_found_out(void **state)
{
    (void)state;
    const unsigned found = NLN_HAS_STEPS | NLN_HAS_HISTORY;
    for (int i = 0; i < nln_method_count(); i++) {
        const nln_method *m = nln_method_get(i);
        unsigned abilities = nln_method_abilities(m);
        EXPECT(m, !(m->has & found));
        EXPECT(m, (abilities & ~found) == m->has);
        EXPECT(m, !!(abilities & NLN_HAS_STEPS) == !m->solve);
        EXPECT(m, !!(abilities & NLN_HAS_HISTORY) == m->reads_history);
        EXPECT(m, !!(abilities & NLN_HAS_NETWORK) == (m == &nln_method_nln));
    }
    assert_int_equal(nln_method_abilities(&nln_method_ease), NLN_HAS_WEIGHTS | NLN_HAS_HISTORY);
    assert_int_equal(nln_method_abilities(&nln_method_biasedmf), NLN_HAS_VECTORS | NLN_HAS_STEPS);
    assert_int_equal(nln_method_abilities(&nln_method_popularity), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_the_choices_of_option_model),
        cmocka_unit_test(every_method_learns_in_one_way),
        cmocka_unit_test(every_task_is_answered),
        cmocka_unit_test(stored_tensors_have_all_functions),
        cmocka_unit_test(abilities_are_those_of_the_tensors),
        cmocka_unit_test(steps_and_histories_are_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
