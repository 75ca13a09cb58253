/* Labelled expressions as a source of requests: units, labels, counts and measures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "same_expr.h"
#include "tiny.h"
#include "training/source.h"

static const struct {
    nln_split split;
    const char *text;
    int label;
} rows[] = {
    {NLN_TRAIN, "a & b & !c", 0}, {NLN_TRAIN, "b | c", 1}, {NLN_TRAIN, "!c", 0},
    {NLN_TRAIN, "b", 1},          {NLN_VALID, "!a", 1},    {NLN_VALID, "a & d", 0},
    {NLN_TEST, "a | b", 1},
};
enum { ROWS = sizeof rows / sizeof *rows, UNITS = 4 };

static nln_data *make_data(void)
{
    nln_data *d = tiny_set((const char *const[]){"", "", ""});
    for (int i = 0; i < ROWS; i++) {
        nln_labelled *set = &d->split[rows[i].split];
        trees_parse(&set->exprs, d->symbols, rows[i].text);
        assert_int_equal(nln_labelled_add(set, rows[i].label, 1, NULL), NLN_OK);
    }
    return d;
}

#define PLAIN "task=logic dimension=6 normal-form=none duals=false"

typedef struct fixture {
    nln_data *data;
    nln_model *model;
    nln_source *source;
} fixture;

static fixture open_fixture(const char *settings)
{
    fixture f = {.data = make_data()};
    nln_options *o = tiny_options("train", settings);
    nln_error err = {0};
    tiny_need(nln_source_of_expressions(&f.source, f.data, &err), &err);
    assert_int_equal(f.source->data, NLN_DATA_EXPRESSIONS);
    assert_int_equal(f.source->n_users, 0);
    tiny_need(nln_model_create_for(&f.model, f.source->names, 0, o, &err), &err);
    tiny_need(f.source->open(f.source, f.model, &err), &err);
    nln_options_free(o);
    return f;
}

static void close_fixture(fixture *f)
{
    f->source->free(f->source);
    nln_model_free(f->model);
    nln_data_free(f->data);
}

/* In the order of the request, whatever that is. */
static void every_unit_is_an_expression_with_its_label(void **state)
{
    (void)state;
    fixture f = open_fixture(PLAIN);
    static const int32_t units[UNITS] = {2, 0, 3, 1};
    int met[UNITS] = {0};
    assert_int_equal(f.source->n, UNITS);
    assert_null(f.source->shuffle); /* any order of the units will do */
    for (int first = 0; first < UNITS; first += 2) {
        nln_request r;
        assert_int_equal(f.source->draw(&r, f.source, units + first, 2, 9, NULL), NLN_OK);
        assert_int_equal(r.loss_kind, NLN_LOSS_LABELS);
        assert_int_equal(r.n, 2);
        assert_int_equal(r.key, 9);
        assert_null(r.queries);
        for (int i = 0; i < 2; i++) {
            int32_t unit = r.unit[i], at = r.index[i];
            assert_int_equal(unit, units[first + i]);
            met[unit]++;
            assert_true(same_expr(nln_exprs_get(r.exprs, (size_t)at),
                                  nln_exprs_get(&f.data->split[NLN_TRAIN].exprs, (size_t)unit)));
            assert_true(r.truth[at] == (real)rows[unit].label);
        }
    }
    for (int i = 0; i < UNITS; i++)
        assert_int_equal(met[i], 1);
    close_fixture(&f);
}

/* Every unit comes as it is or as its dual, with the label that belongs to that, and over many keys
 * as often the one as the other. */
static void half_of_the_units_are_duals(void **state)
{
    (void)state;
    enum { KEYS = 2000 };
    static const char *const duals[UNITS] = {"!a | !b | c", "!b & !c", "c", "!b"};
    static const int32_t units[UNITS] = {0, 1, 2, 3};
    fixture f = open_fixture("task=logic dimension=6 normal-form=none");
    nln_exprs wanted = {0};
    int n_duals[UNITS] = {0};
    for (int i = 0; i < UNITS; i++)
        trees_parse(&wanted, f.data->symbols, duals[i]);
    for (uint64_t key = 0; key < KEYS; key++) {
        nln_request r;
        assert_int_equal(f.source->draw(&r, f.source, units, UNITS, key, NULL), NLN_OK);
        for (int i = 0; i < UNITS; i++) {
            size_t at = (size_t)r.index[i];
            int is_dual = r.truth[at] != (real)rows[i].label;
            n_duals[i] += is_dual;
            assert_true(same_expr(nln_exprs_get(r.exprs, at),
                                  is_dual
                                      ? nln_exprs_get(&wanted, (size_t)i)
                                      : nln_exprs_get(&f.data->split[NLN_TRAIN].exprs, (size_t)i)));
        }
    }
    for (int i = 0; i < UNITS; i++)
        assert_in_range(n_duals[i], KEYS / 2 - 150, KEYS / 2 + 150);
    assert_true(f.model->longest == 3);
    assert_true(f.model->widest == 3);
    nln_exprs_free(&wanted);
    close_fixture(&f);
}

/* Of training alone: d and the others of valid and test do not count. */
static void every_occurrence_is_counted(void **state)
{
    (void)state;
    fixture f = open_fixture(PLAIN);
    int32_t got[4] = {0};
    f.source->count(got, f.source);
    assert_memory_equal(got, ((const int32_t[]){1, 3, 3, 0}), sizeof got);
    close_fixture(&f);
}

/* An expression whose normal form is too large is taken in negation normal form. */
static void too_large_an_expression_takes_another_form(void **state)
{
    (void)state;
    nln_data *data =
        tiny_set((const char *const[]){"a", "b", "(a | b) & (c | d) & (e | f) & (g | h)"});
    nln_options *o = tiny_options("train", "dimension=6 normal-form=dnf clause-limit=8");
    nln_source *source = NULL;
    nln_model *model = NULL;
    nln_error err = {0};
    tiny_need(nln_source_of_expressions(&source, data, &err), &err);
    tiny_need(nln_model_create_for(&model, source->names, 0, o, &err), &err);
    assert_int_equal(source->open(source, model, &err), NLN_OK);
    nln_expr e = nln_exprs_get(&source->exprs[NLN_TEST], 0);
    assert_int_equal(e.nodes[e.n_nodes - 1].op, NLN_OP_AND);
    assert_int_equal(e.nodes[e.n_nodes - 1].arg, 4);
    source->free(source);
    nln_model_free(model);
    nln_options_free(o);
    nln_data_free(data);
}

/* What has no form within the limit is left out with its label, and told. */
static void what_has_no_form_is_left_out(void **state)
{
    (void)state;
    static const char *const lines[] = {"a", "a xor b xor c xor d xor e xor f xor g xor h", "!b",
                                        "c xor d xor a xor b xor e xor f xor g xor h", "c"};
    static const double labels[] = {1, 0, 0.25, 0, 1}, weights[] = {1, 2, 3, 4, 5};
    nln_options *o = tiny_options("train", "dimension=6 duals=false clause-limit=4");
    nln_data *data = NULL;
    nln_source *source = NULL;
    nln_model *model = NULL;
    nln_error err = {0};
    tiny_need(nln_data_create(&data, &err), &err);
    tiny_need(nln_data_add_weighted(data, NLN_TRAIN, lines, labels, weights, 5, &err), &err);
    tiny_need(nln_source_of_expressions(&source, data, &err), &err);
    tiny_need(nln_model_create_for(&model, source->names, 0, o, &err), &err);
    tiny_need(source->open(source, model, &err), &err);
    assert_int_equal(source->n, 3);
    assert_int_equal(source->exprs[NLN_TRAIN].n, 3);
    assert_true(source->mass == 9);
    for (size_t i = 0; i < 3; i++) {
        assert_true(nln_truths_label(&source->truths[NLN_TRAIN], i) == labels[2 * i]);
        assert_true(nln_truths_weight(&source->truths[NLN_TRAIN], i) == weights[2 * i]);
    }
    assert_non_null(strstr(source->note, "left out: expression 2 of train: "));
    assert_non_null(strstr(source->note, "; and 1 others"));
    source->free(source);
    nln_model_free(model);
    nln_options_free(o);
    nln_data_free(data);
}

/* A true forall is a unit for each instance; what a batch draws has no quantifier, and only ground
 * atoms of known entities. */
static void quantified_lines_are_grounded(void **state)
{
    (void)state;
    static const char *const lines[] = {"p(a)", "p(b)", "q(a, b)", "forall x y: q(x, y) -> p(y)",
                                        "exists x: q(x, x)"};
    static const int labels[] = {1, 0, 1, 1, 0};
    nln_data *data = NULL;
    nln_source *source = NULL;
    nln_model *model = NULL;
    nln_error err = {0};
    nln_request r = {0};
    int32_t units[512];
    tiny_need(nln_data_create(&data, &err), &err);
    tiny_need(nln_data_add(data, NLN_TRAIN, lines, labels, 5, &err), &err);
    nln_options *o = tiny_options("train", "dimension=6");
    tiny_need(nln_source_of_expressions(&source, data, &err), &err);
    nln_vocabulary names = nln_data_names(data);
    tiny_need(nln_model_create_of(&model, &names, 0, o, &err), &err);
    tiny_need(source->open(source, model, &err), &err);
    /* 5 lines, 4 instances, one AND and one broken AND of them, and half as many entailed */
    assert_int_equal(source->n, 11 + 11 / 2);
    assert_int_equal(source->exprs[NLN_TRAIN].n, 5);
    for (int32_t i = 0; i < (int32_t)source->n; i++)
        units[i] = i;
    for (uint64_t key = 0; key < 20; key++) {
        int32_t n = (int32_t)source->n;
        tiny_need(source->draw(&r, source, units, n, key, &err), &err);
        assert_int_equal(r.exprs->n, source->n);
        for (size_t i = 0; i < r.exprs->n_nodes; i++) {
            nln_node node = r.exprs->nodes[i];
            assert_false(nln_node_is_quantifier(node));
            if (node.op != NLN_OP_ATOM)
                continue;
            nln_atom atom = nln_atoms_get(r.exprs->atoms, node.arg);
            for (int32_t k = 0; k < atom.n_arguments; k++)
                assert_in_range(atom.argument[k], 0, 1);
        }
    }
    source->free(source);
    nln_model_free(model);
    nln_options_free(o);
    nln_data_free(data);
}

/* From q(a, b) and the rule follows p(b), of which no line speaks; of p(a) nothing follows. */
static void what_follows_is_learned_by_itself(void **state)
{
    (void)state;
    enum { KEYS = 200 };
    static const char *const lines[] = {"q(a, b)", "q(b, b)", "r(a)",
                                        "forall x y: q(x, y) & r(x) -> p(y)"};
    static const int labels[] = {1, 0, 1, 1};
    nln_data *data = NULL;
    nln_source *source = NULL;
    nln_model *model = NULL;
    nln_error err = {0};
    nln_request r = {0};
    int32_t units[512], alone = 0;
    tiny_need(nln_data_create(&data, &err), &err);
    tiny_need(nln_data_add(data, NLN_TRAIN, lines, labels, 4, &err), &err);
    nln_options *o = tiny_options("train", "dimension=6 duals=false");
    tiny_need(nln_source_of_expressions(&source, data, &err), &err);
    nln_vocabulary names = nln_data_names(data);
    tiny_need(nln_model_create_of(&model, &names, 0, o, &err), &err);
    tiny_need(source->open(source, model, &err), &err);
    for (int32_t i = 0; i < (int32_t)source->n; i++)
        units[i] = i;
    for (uint64_t key = 0; key < KEYS; key++) {
        tiny_need(source->draw(&r, source, units, (int32_t)source->n, key, &err), &err);
        for (size_t i = 0; i < r.exprs->n; i++) {
            nln_expr e = nln_exprs_get(r.exprs, i);
            nln_atom atom = e.nodes[0].op == NLN_OP_ATOM
                                ? nln_atoms_get(r.exprs->atoms, e.nodes[0].arg)
                                : (nln_atom){.predicate = -1};
            const char *name = atom.predicate < 0
                                   ? ""
                                   : nln_symbols_name(data->relations->predicates, atom.predicate);
            if (e.n_nodes != 1 || strcmp(name, "p") != 0)
                continue;
            assert_string_equal(nln_symbols_name(data->relations->entities, atom.argument[0]), "b");
            assert_true(r.truth[i] == 1);
            alone++;
        }
    }
    assert_in_range(alone, KEYS / 3, 2 * KEYS / 3);
    source->free(source);
    nln_model_free(model);
    nln_options_free(o);
    nln_data_free(data);
}

static void splits_are_measured_by_their_labels(void **state)
{
    (void)state;
    fixture f = open_fixture(PLAIN);
    for (int split = 0; split < 3; split++) {
        nln_metrics m = {0};
        size_t n = f.data->split[split].exprs.n;
        assert_int_equal(nln_source_size(f.source, (nln_split)split), n);
        assert_int_equal(f.source->measure(&m, f.source, f.model, (nln_split)split, 1, NULL),
                         NLN_OK);
        assert_int_equal(m.n, n);
        assert_ptr_equal(f.source->truths[split].label, f.data->split[split].labels);
    }
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_unit_is_an_expression_with_its_label),
        cmocka_unit_test(half_of_the_units_are_duals),
        cmocka_unit_test(every_occurrence_is_counted),
        cmocka_unit_test(too_large_an_expression_takes_another_form),
        cmocka_unit_test(what_has_no_form_is_left_out),
        cmocka_unit_test(quantified_lines_are_grounded),
        cmocka_unit_test(what_follows_is_learned_by_itself),
        cmocka_unit_test(splits_are_measured_by_their_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
