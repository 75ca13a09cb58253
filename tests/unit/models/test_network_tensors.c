/* The tensors of all networks of a model: their names and sizes, and the shapes that a file is
 * checked by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/network_learner.h"
#include "tiny.h"

static const char *const embeddings[] = {"free", "line", "arc"};
enum { N_EMBEDDINGS = sizeof embeddings / sizeof *embeddings };

static nln_model *make(const char *embedding, int networks)
{
    static const char *const names[] = {"a", "b", "c"};
    char settings[160];
    nln_error err = {0};
    nln_model *model = NULL;
    nln_symbols *symbols = nln_symbols_create();
    for (int i = 0; i < 3; i++)
        assert_int_equal(nln_symbols_intern(symbols, names[i], 1), i);
    snprintf(settings, sizeof settings,
             "task=logic dimension=6 hidden=5 members=2 embedding=%s networks=%d", embedding,
             networks);
    nln_options *o = tiny_options("train", settings);
    tiny_need(nln_model_create(&model, symbols, o, &err), &err);
    nln_options_free(o);
    nln_symbols_free(symbols);
    return model;
}

static int find(nln_net_tensor *out, const nln_model *model, const char *name)
{
    for (int i = 0; nln_model_get_tensor(out, model, i); i++)
        if (strcmp(out->name, name) == 0)
            return 1;
    return 0;
}

static void every_network_has_its_own_tensors(void **state)
{
    (void)state;
    nln_model *model = make("free", 3);
    nln_net_tensor a, b, c;
    assert_true(find(&a, model, "and.in"));
    assert_true(find(&b, model, "network1.and.in"));
    assert_true(find(&c, model, "network2.and.in"));
    assert_ptr_not_equal(a.data, b.data);
    assert_ptr_not_equal(b.data, c.data);
    assert_ptr_equal(c.data, model->net[2]->modules.of[NLN_MODULE_AND].in);
    assert_false(find(&a, model, "network3.and.in"));
    nln_model_free(model);
}

static void shapes_are_those_of_the_tensors(void **state)
{
    (void)state;
    for (int e = 0; e < N_EMBEDDINGS; e++)
        for (int networks = 1; networks <= NLN_MOST_NETWORKS; networks += 7) {
            nln_model *model = make(embeddings[e], networks);
            nln_sizes sizes = {&model->config, nln_model_variables(model), 0};
            nln_shape shape;
            int n = 0;
            for (; model->method->tensor(&shape, &sizes, n); n++) {
                nln_net_tensor t;
                assert_true(find(&t, model, shape.name));
                assert_int_equal(t.rows, shape.rows);
                assert_int_equal(t.columns, shape.columns);
            }
            assert_int_equal(n % networks, 0);
            assert_in_range(n / networks, 3, 4);
            nln_model_free(model);
        }
}

static void changes_reach_the_transposed_copies(void **state)
{
    (void)state;
    nln_model *model = make("arc", 2);
    nln_random random = nln_random_seed(3, 4);
    nln_model_draw(model, &random);
    for (int i = 0; i < 2; i++)
        model->net[i]->modules.of[NLN_MODULE_AND].out[1] = 7; /* [hidden, dim]: row 0, column 1 */
    model->method->storage->changed(model);
    for (int i = 0; i < 2; i++)
        assert_true(model->net[i]->transposed.of[NLN_MODULE_AND].out[5] == 7);
    nln_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_network_has_its_own_tensors),
        cmocka_unit_test(shapes_are_those_of_the_tensors),
        cmocka_unit_test(changes_reach_the_transposed_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
