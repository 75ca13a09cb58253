/* The columns of the table of training options: every option, task and method. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "likes.h"
#include "models/method.h"
#include "scratch.h"

static nln_data *data;
static nln_ratings *ratings;

/* A small training, in which most options show.  Options that the task or the method does not
 * use are left out. */
static const char *const base[][2] = {
    {"threads", "1"},         {"dimension", "4"},     {"epochs", "8"},
    {"batch", "16"},          {"history", "4"},       {"networks", "1"},
    {"members", "1"},         {"orders", "2"},        {"law-weight", "1"},
    {"learning-rate", "0.1"}, {"together", "1"},      {"negatives", "3"},
    {"surprises", "0"},       {"shuffle", "true"},    {"association", "pairs"},
    {"soften", "0"},          {"drop-history", "0"},  {"patience", "0"},
    {"noise", "0.1"},         {"normal-form", "cnf"},
};

typedef struct kind {
    const char *task;
    const nln_method *method;
    const char *embedding; /* of the network */
} kind;

static nln_options *options_of(const kind *k)
{
    nln_options *o = NULL;
    nln_error err = {0};
    tiny_need(nln_options_create(&o, "train", &err), &err);
    tiny_need(nln_options_set(o, "task", k->task, &err), &err);
    tiny_need(nln_options_set(o, "model", k->method->name, &err), &err);
    if (k->embedding)
        tiny_need(nln_options_set(o, "embedding", k->embedding, &err), &err);
    tiny_need(nln_options_settle(o, &err), &err);
    return o;
}

/* Whether training takes the option. */
static int is_taken(const nln_options *o, const char *name, const char *value)
{
    nln_options *copy = NULL;
    nln_error err = {0};
    tiny_need(nln_options_copy(&copy, o, &err), &err);
    tiny_need(nln_options_set(copy, name, value, &err), &err);
    nln_status status = nln_config_check(copy, &err);
    assert_true(!status || strstr(err.message, name));
    nln_options_free(copy);
    return !status;
}

static nln_options *base_options(const kind *k)
{
    nln_options *o = options_of(k);
    for (size_t i = 0; i < sizeof base / sizeof *base; i++)
        if (is_taken(o, base[i][0], base[i][1]))
            assert_int_equal(nln_options_set(o, base[i][0], base[i][1], NULL), NLN_OK);
    if (strcmp(k->task, "preference") == 0 && is_taken(o, "select", "auc"))
        assert_int_equal(nln_options_set(o, "select", "auc", NULL), NLN_OK);
    return o;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ at[i]) * 1099511628211u;
    return hash;
}

/* Everything that a training leaves behind, as one number; 0 if it fails. */
static uint64_t train(nln_error *err, const nln_options *o)
{
    nln_model *m = NULL;
    nln_report r = {0};
    nln_net_tensor t;
    uint64_t hash = 1;
    nln_status status = strcmp(nln_options_text(o, "task"), "logic") == 0
                            ? nln_train(&m, &r, data, o, NULL, err)
                            : nln_train_ratings(&m, &r, ratings, o, NULL, err);
    if (status)
        return 0;
    for (int i = 0; nln_model_get_tensor(&t, m, i); i++)
        hash = mix(hash, t.data, t.rows * t.columns * sizeof *t.data);
    const double also[] = {m->temperature,         m->carry,         r.epochs,
                           r.best_epoch,           r.test.rmse,      r.valid.rmse,
                           r.test.full.ndcg[2],    m->users != NULL, r.valid.full.ndcg[2],
                           r.test.sampled.ndcg[0], r.test.auc};
    hash = mix(hash, also, sizeof also);
    nln_model_free(m);
    return hash;
}

/* Another value of the option; 0 after the last. */
static int next_value(char value[32], const nln_option *row, const nln_options *o, int i)
{
    static const double numbers[] = {0.3, 3, 1, 0, 0.9, 0.001, 50};
    double now = nln_options_number(o, row->name);
    const char *at = row->choices;
    switch (row->type) {
    case NLN_OPTION_FLAG:
        snprintf(value, 32, "%s", now > 0 ? "false" : "true");
        return i == 0;
    case NLN_OPTION_CHOICE:
        for (int skip = i; at && skip > 0; skip--)
            at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL;
        snprintf(value, 32, "%.*s", at ? (int)strcspn(at, "|") : 0, at ? at : "");
        return at != NULL;
    case NLN_OPTION_TEXT:
        snprintf(value, 32, "negation"); /* laws */
        return i == 0;
    default:
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            double x = numbers[n];
            int whole = x == (double)(int)x;
            if (x < row->least || x > row->most || x == now ||
                (row->type == NLN_OPTION_INT && !whole) || i-- > 0)
                continue;
            snprintf(value, 32, "%g", x);
            return 1;
        }
        return 0;
    }
}

/* Whether some value of the option changes what a training leaves behind. */
static int shows(const nln_options *o, const nln_option *row)
{
    char value[32];
    nln_error err = {0};
    uint64_t before = train(&err, o);
    if (!before)
        fail_msg("%s", err.message);
    for (int i = 0; next_value(value, row, o, i); i++) {
        nln_options *changed = NULL;
        tiny_need(nln_options_copy(&changed, o, &err), &err);
        tiny_need(nln_options_set(changed, row->name, value, &err), &err);
        uint64_t after = train(&err, changed);
        nln_options_free(changed);
        if (err.status == NLN_LIMIT || (after && after != before))
            return 1;
    }
    return 0;
}

/* Not every option shows at once: the first epoch may be the best, or the last. */
static int shows_at_last(const kind *k, const nln_option *row)
{
    static const char *const seeds[] = {"1", "2", "3", "4"};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        nln_options *o = base_options(k);
        nln_options_set(o, "seed", seeds[i], NULL);
        int shown = shows(o, row);
        if (!shown && is_taken(o, "select", "last")) {
            nln_options_set(o, "select", "last", NULL);
            shown = shows(o, row);
        }
        nln_options_free(o);
        if (shown)
            return 1;
    }
    return 0;
}

/* Options of predicates, which the data of this test do not have. */
static int is_of_predicates(const char *name)
{
    return strcmp(name, "predicates") == 0 || strcmp(name, "groundings") == 0;
}

/* Options that need not show in the model: they choose other options or the number of threads, or
 * measure more for a log.  What is solved at once draws nothing, and its history limits questions
 * only. */
static int may_not_show(const kind *k, const char *name)
{
    return strcmp(name, "threads") == 0 || strcmp(name, "curves") == 0 ||
           strcmp(name, "task") == 0 || strcmp(name, "model") == 0 || strcmp(name, "recipe") == 0 ||
           ((strcmp(name, "seed") == 0 || strcmp(name, "history") == 0) && !k->method->learn) ||
           (strcmp(name, "keep-users") == 0 && k->method->knows_users) || is_of_predicates(name);
}

static int check_kind(const kind *k)
{
    int n_rows, n_wrong = 0;
    nln_options *o = base_options(k);
    const nln_option *rows = nln_options_table(&n_rows, o);
    nln_error err = {0};
    for (int i = 0; i < n_rows; i++) {
        char value[32];
        next_value(value, &rows[i], o, 0);
        if (may_not_show(k, rows[i].name))
            continue;
        if (is_taken(o, rows[i].name, value)) {
            if (shows_at_last(k, &rows[i]))
                continue;
            print_error("%s %s: --%s is taken and changes nothing\n", k->task, k->method->name,
                        rows[i].name);
            n_wrong++;
        } else {
            nln_options_set(o, rows[i].name, value, NULL);
            assert_int_equal(train(&err, o), 0);
            assert_non_null(strstr(err.message, "does nothing for --"));
            nln_options_free(o);
            o = base_options(k);
        }
    }
    nln_options_free(o);
    return n_wrong;
}

static void options_of_predicates_need_predicates(void **state)
{
    (void)state;
    static const char *const values[][2] = {{"predicates", "product"}, {"groundings", "9"}};
    for (int i = 0; i < 2; i++) {
        nln_options *o = NULL;
        nln_error err = {0};
        tiny_need(nln_options_create(&o, "train", &err), &err);
        tiny_need(nln_options_set(o, values[i][0], values[i][1], &err), &err);
        assert_int_equal(train(&err, o), 0);
        assert_non_null(strstr(err.message, "does nothing for data without predicates"));
        nln_options_free(o);
    }
}

static void every_option_is_refused_or_changes_something(void **state)
{
    (void)state;
    static const char *const tasks[] = {"logic", "preference", "topk"};
    int n_wrong = 0;
    for (int m = 0; m < nln_method_count(); m++)
        for (int t = 0; t < 3; t++) {
            const nln_method *method = nln_method_get(m);
            if (!(method->tasks >> t & 1))
                continue;
            int is_network = (method->has & NLN_HAS_NETWORK) != 0;
            n_wrong += check_kind(&(kind){tasks[t], method, is_network ? "free" : NULL});
            if (is_network)
                n_wrong += check_kind(&(kind){tasks[t], method, "arc"});
        }
    assert_int_equal(n_wrong, 0);
}

/* The other direction, where a value can be smuggled past the check: what is refused would have
 * changed nothing. */
static void refused_options_would_change_nothing(void **state)
{
    (void)state;
    static const char *const models[] = {"nln", "birnn", "marginals"};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        char settings[64];
        snprintf(settings, sizeof settings, "epochs=1 threads=1 model=%s", models[m]);
        nln_options *o = tiny_options("train", settings);
        nln_error err = {0};
        int n_rows;
        const nln_option *rows = nln_options_table(&n_rows, o);
        uint64_t before = train(&err, o);
        for (int i = 0; i < n_rows; i++) {
            char value[32], kept[32];
            next_value(value, &rows[i], o, 0);
            if (is_taken(o, rows[i].name, value))
                continue;
            snprintf(kept, sizeof kept, "%s", nln_options_text(o, rows[i].name));
            tiny_need(nln_options_assign(o, rows[i].name, value, NLN_FROM_DEFAULT, &err), &err);
            if (train(&err, o) != before)
                fail_msg("%s: --%s is refused and changes something", models[m], rows[i].name);
            tiny_need(nln_options_assign(o, rows[i].name, kept, NLN_FROM_DEFAULT, &err), &err);
        }
        nln_options_free(o);
    }
}

static void tables_go_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {
        "generate logic", "generate ratings", "ratings", "ranking", "predict", "exact", "tsne",
        "train"};
    nln_options *o = NULL;
    nln_error err = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int n_rows = 0;
        assert_int_equal(nln_options_create(&o, names[i], &err), NLN_OK);
        assert_non_null(nln_options_table(&n_rows, o));
        assert_true(n_rows > 1);
        nln_options_free(o);
    }
    assert_int_equal(nln_options_create(&o, "dance", &err), NLN_UNKNOWN);
    assert_null(o);
}

static int set_up(void **state)
{
    nln_error err = {0};
    nln_options *o = tiny_options("generate ratings", "users=20 items=25 ratings=300");
    scratch_setup(state);
    data = tiny_data("variables=20 expressions=120 max-clauses=3 max-literals=3 noise=0.2");
    tiny_need(nln_ratings_generate(scratch_path("ratings.csv"), NULL, o, &err), &err);
    nln_options_free(o);
    o = tiny_options("ratings", "split=nlr");
    tiny_need(nln_ratings_read(&ratings, NULL, scratch_path("ratings.csv"), o, &err), &err);
    nln_options_free(o);
    return 0;
}

static int tear_down(void **state)
{
    nln_data_free(data);
    nln_ratings_free(ratings);
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_go_by_name),
        cmocka_unit_test(options_of_predicates_need_predicates),
        cmocka_unit_test(every_option_is_refused_or_changes_something),
        cmocka_unit_test(refused_options_would_change_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
