/* The histories that a model keeps, in memory and in its file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "likes.h"
#include "models/safetensors.h"
#include "scratch.h"

#define TOPK "task=topk dimension=8 epochs=1 threads=1 negatives=4 "

static nln_ratings *ratings;
static nln_model *model;

static int make_model(void **state)
{
    (void)state;
    ratings = likes_random(25, 15, 12, 8);
    model = likes_train(NULL, ratings, TOPK);
    return 0;
}

static int free_model(void **state)
{
    (void)state;
    nln_ratings_free(ratings);
    nln_model_free(model);
    return 0;
}

static nln_model *load(const char *path)
{
    nln_error err = {0};
    nln_model *loaded = NULL;
    if (nln_model_load(&loaded, path, &err))
        fail_msg("%s", err.message);
    return loaded;
}

static const char *save(const nln_model *m, const char *name)
{
    nln_error err = {0};
    const char *path = scratch_path(name);
    assert_int_equal(nln_model_save(m, path, &err), NLN_OK);
    return path;
}

static nln_literal *history_of(size_t *n, const nln_model *m, const char *user)
{
    nln_literal *history = NULL;
    nln_error err = {0};
    if (nln_model_history(&history, n, m, user, &err))
        fail_msg("%s", err.message);
    return history;
}

/* ---- what is kept ------------------------------------------------------------------- */

static void literals_are_signed_numbers(void **state)
{
    (void)state;
    nln_symbols *names = trees_names(2);
    nln_users *users = NULL;
    assert_int_equal(nln_users_create(&users, names, 3, NULL), NLN_OK);
    memcpy(users->literal, (const int32_t[]){1, -1, -16777216}, 3 * sizeof(int32_t));
    users->grade[1] = 7;
    static const nln_literal wanted[] = {{0, 1, 0}, {0, 0, 7}, {16777215, 0, 0}};
    for (size_t i = 0; i < 3; i++) {
        nln_literal got = nln_users_literal(users, i);
        assert_int_equal(got.item, wanted[i].item);
        assert_int_equal(got.liked, wanted[i].liked);
        assert_int_equal(got.grade, wanted[i].grade);
    }
    assert_string_equal(nln_symbols_name(users->names, 1), "x1");
    nln_symbols_free(names);
    nln_users_free(users);
    nln_users_free(NULL);
}

/* The interactions of a user by time; for one user after the other. */
static const size_t *timeline(const nln_ratings *r, size_t user)
{
    static size_t order[256];
    assert_in_range(nln_ratings_longest(r), 1, 256);
    nln_ratings_timeline(order, r, user);
    return order;
}

/* All that a user met, in every split and in the order of time. */
static void expect_kept(const nln_model *m)
{
    assert_int_equal(nln_model_users(m), nln_ratings_users(ratings));
    for (size_t u = 0; u < nln_ratings_users(ratings); u++) {
        size_t n;
        const size_t *order = timeline(ratings, u);
        nln_literal *history = history_of(&n, m, nln_ratings_user(ratings, u));
        assert_int_equal(n, ratings->start[u + 1] - ratings->start[u]);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(history[i].item, ratings->item[order[i]]);
            assert_int_equal(history[i].liked, nln_ratings_liked(ratings, order[i]));
        }
        nln_free(history);
    }
}

static void a_model_keeps_its_users(void **state)
{
    (void)state;
    assert_true(nln_ratings_size(ratings, NLN_VALID) && nln_ratings_size(ratings, NLN_TEST));
    for (size_t i = 0; i < nln_ratings_items(ratings); i++)
        assert_string_equal(nln_model_variable(model, i), nln_ratings_item(ratings, i));
    expect_kept(model);
}

static void what_is_saved_is_loaded(void **state)
{
    (void)state;
    nln_model *again = load(save(model, "model"));
    expect_kept(again);
    for (size_t u = 0; u < nln_model_users(model); u++) {
        nln_recommendation a[15], b[15];
        size_t n, n_a, n_b;
        nln_literal *history = history_of(&n, again, nln_ratings_user(ratings, u));
        assert_int_equal(nln_recommend(a, &n_a, 15, model, NULL, history, n, 0, NULL), NLN_OK);
        assert_int_equal(nln_recommend(b, &n_b, 15, again, NULL, history, n, 0, NULL), NLN_OK);
        assert_int_equal(n_a, n_b);
        assert_memory_equal(a, b, n_a * sizeof *a);
        nln_free(history);
    }
    save(again, "again");
    size_t n_first, n_second;
    char *first = scratch_read(&n_first, "model"), *second = scratch_read(&n_second, "again");
    assert_int_equal(n_first, n_second);
    assert_memory_equal(first, second, n_first);
    free(first);
    free(second);
    nln_model_free(again);
}

static void names_may_be_any_text(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("Zo\xc3\xab +\"a\" -b\\ +c ann! +c | +b\\ | +\"a\"");
    nln_model *m = likes_train(NULL, r, TOPK), *again = load(save(m, "names"));
    size_t n;
    nln_literal *history = history_of(&n, again, "Zo\xc3\xab");
    assert_int_equal(n, 3);
    assert_string_equal(nln_model_variable(again, history[0].item), "\"a\"");
    assert_string_equal(nln_model_variable(again, history[1].item), "b\\");
    assert_int_equal(history[1].liked, 0);
    nln_free(history);
    nln_model_free(m);
    nln_model_free(again);
    nln_ratings_free(r);
}

static void a_model_need_not_keep_them(void **state)
{
    (void)state;
    nln_model *m = likes_train(NULL, ratings, TOPK "keep-users=false");
    nln_model *again = load(save(m, "model"));
    nln_error err = {0};
    nln_literal *history;
    size_t n;
    assert_int_equal(nln_model_users(m), 0);
    assert_int_equal(nln_model_users(again), 0);
    assert_int_equal(nln_model_history(&history, &n, again, "u1", &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "keep-users"));
    nln_model_free(m);
    nln_model_free(again);
}

static void scores_for(double *score, const nln_model *m, const char *user)
{
    const nln_literal history[] = {{1, 1, 0}, {2, 0, 0}};
    nln_error err = {0};
    tiny_need(nln_recommend_scores(score, m, user, history, 2, &err), &err);
}

/* A user with a variable has answers of his own, also from the file; somebody unknown has those of
 * nobody in particular. */
static void a_known_user_may_have_a_variable(void **state)
{
    (void)state;
    nln_model *m = likes_train(NULL, ratings, TOPK "user-vectors=0.5 rules=0 learning-rate=0.05");
    nln_model *again = load(save(m, "model"));
    size_t n = nln_model_variables(m);
    double one[15], two[15], nobody[15], stranger[15], loaded[15];
    assert_true(n <= 15 && nln_model_abilities(m).knows_users &&
                !nln_model_abilities(m).needs_user);
    assert_int_equal(nln_model_rows(m), (int32_t)(n + nln_ratings_users(ratings)));
    assert_false(nln_model_abilities(model).knows_users);
    scores_for(one, m, "u1");
    scores_for(two, m, "u2");
    scores_for(nobody, m, NULL);
    scores_for(stranger, m, "nobody knows me");
    scores_for(loaded, again, "u2");
    assert_memory_not_equal(one, two, n * sizeof *one);
    assert_memory_not_equal(one, nobody, n * sizeof *one);
    assert_memory_equal(nobody, stranger, n * sizeof *one);
    assert_memory_equal(two, loaded, n * sizeof *one);
    nln_model_free(m);
    nln_model_free(again);
}

static void variables_of_users_need_their_names(void **state)
{
    (void)state;
    nln_options *o = tiny_options("train", TOPK "user-vectors=0.5 keep-users=false");
    nln_model *m = NULL;
    nln_error err = {0};
    assert_int_equal(nln_train_ratings(&m, NULL, ratings, o, NULL, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "--user-vectors must keep its users"));
    nln_options_free(o);
}

/* A model of ratings from 1 to 5, which it grades. */
static nln_model *graded(nln_ratings **out)
{
    nln_ratings *r = likes_random(25, 15, 12, 9);
    for (size_t i = 0; i < r->n; i++)
        r->rating[i] = nln_ratings_liked(r, i) ? (float)(4 + i % 2) : (float)(1 + i % 3);
    *out = r;
    return likes_train(NULL, r, "task=preference dimension=8 epochs=1 threads=1 grades=5");
}

static void grades_are_kept(void **state)
{
    (void)state;
    nln_ratings *r;
    nln_model *m = graded(&r), *again = load(save(m, "graded"));
    double p[2][15];
    size_t n_changed = 0;
    assert_int_equal(again->grading.n, m->grading.n);
    assert_true(again->grading.least == m->grading.least && again->grading.most == m->grading.most);
    assert_memory_equal(again->grading.usual, m->grading.usual, sizeof m->grading.usual);
    for (size_t u = 0; u < nln_ratings_users(r); u++) {
        size_t n;
        nln_literal *history = history_of(&n, again, nln_ratings_user(r, u));
        const size_t *order = timeline(r, u);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(history[i].grade, (int)r->rating[order[i]]);
        assert_int_equal(nln_recommend_scores(p[0], m, NULL, history, n, NULL), NLN_OK);
        assert_int_equal(nln_recommend_scores(p[1], again, NULL, history, n, NULL), NLN_OK);
        assert_memory_equal(p[0], p[1], sizeof *p);
        history[0].grade = history[0].grade == 5 ? 4 : 5;
        assert_int_equal(nln_recommend_scores(p[1], again, NULL, history, n, NULL), NLN_OK);
        n_changed += memcmp(p[0], p[1], sizeof *p) != 0;
        history[0].grade = 6;
        assert_int_equal(nln_recommend_scores(p[1], again, NULL, history, n, NULL), NLN_INVALID);
        nln_free(history);
    }
    assert_true(n_changed > nln_ratings_users(r) / 2); /* a grade can be lost on its way */
    nln_model_free(m);
    nln_model_free(again);
    nln_ratings_free(r);
}

/* Ratings that are labels are as good as those with the usual stars. */
static void labels_are_taken_for_the_usual_grades(void **state)
{
    (void)state;
    static const char *const tasks[] = {"preference", "topk"};
    for (int task = 0; task < 2; task++) {
        char settings[80];
        nln_ratings *r;
        nln_metrics of[2];
        nln_literal *history;
        size_t n;
        snprintf(settings, sizeof settings, "task=%s dimension=8 epochs=1 threads=1 grades=5",
                 tasks[task]);
        nln_model_free(graded(&r));
        nln_model *m = likes_train(NULL, r, settings);
        for (int labels = 0; labels < 2; labels++) {
            for (size_t i = 0; i < r->n; i++) {
                int liked = nln_ratings_liked(r, i);
                r->rating[i] = (float)(labels ? liked : m->grading.usual[liked]);
            }
            assert_int_equal(nln_evaluate_ratings(&of[labels], NULL, m, r, NLN_TEST, NULL, NULL),
                             NLN_OK);
        }
        assert_true(likes_same_metrics(&of[0], &of[1]));
        assert_int_equal(nln_ratings_history(&history, &n, m, r, "u1", NULL), NLN_OK);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(history[i].grade, 0);
        nln_free(history);
        nln_model_free(m);
        nln_ratings_free(r);
    }
}

/* ---- files that make no sense ------------------------------------------------------- */

/* What the model file is made of, to be written again with a change. */
typedef struct parts {
    nln_safetensors *file;
    nln_tensor tensors[18], *length, *literal;
    size_t n_tensors;
    nln_pair metadata[6];
    float lengths[32], literals[512]; /* what the tensors of the users point to */
} parts;

static void copy_numbers(nln_tensor *t, float *to, size_t room)
{
    assert_true(t->shape[0] <= room);
    memcpy(to, t->data, t->shape[0] * sizeof *to);
    t->data = to;
}

/* The tensors of the users come last. */
static void open_parts(parts *p)
{
    static const char *const keys[] = {"kind",      "version",     "options",
                                       "variables", "temperature", "users"};
    nln_net_tensor t;
    *p = (parts){0};
    assert_int_equal(nln_safetensors_read(&p->file, save(model, "whole"), NULL), NLN_OK);
    for (int i = 0; nln_net_get_tensor(&t, model->net[0], i); i++)
        p->tensors[p->n_tensors++] = *nln_safetensors_tensor(p->file, t.name);
    p->length = &p->tensors[p->n_tensors++];
    p->literal = &p->tensors[p->n_tensors++];
    *p->length = *nln_safetensors_tensor(p->file, "users.length");
    *p->literal = *nln_safetensors_tensor(p->file, "users.literal");
    copy_numbers(p->length, p->lengths, 32);
    copy_numbers(p->literal, p->literals, 512);
    for (size_t i = 0; i < 6; i++)
        p->metadata[i] = (nln_pair){keys[i], nln_safetensors_metadata(p->file, keys[i])};
}

static const char *write_parts(const parts *p)
{
    nln_error err = {0};
    const char *path = scratch_path("changed");
    if (nln_safetensors_write(path, p->tensors, p->n_tensors, p->metadata, 6, &err))
        fail_msg("%s", err.message);
    return path;
}

static void expect_refused(const parts *p, const char *what)
{
    nln_error err = {0};
    nln_model *loaded = (nln_model *)&err;
    const char *path = write_parts(p);
    if (nln_model_load(&loaded, path, &err) != NLN_FORMAT || loaded)
        fail_msg("a file was taken: %s", what);
    assert_string_equal(err.file, path);
    assert_true(strlen(err.message) > 20);
}

static void unchanged_parts_are_taken(void **state)
{
    (void)state;
    parts p;
    open_parts(&p);
    nln_model *again = load(write_parts(&p));
    expect_kept(again);
    nln_model_free(again);
    nln_safetensors_free(p.file);
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        int is_literal;
        float value;
    } bad[] = {
        {"a length of a fraction", 0, 1.5f},
        {"a negative length", 0, -1},
        {"a length beyond all", 0, 1e30f},
        {"lengths that add up to another number", 0, 100},
        {"literal 0", 1, 0},
        {"a fraction of a literal", 1, 1.5f},
        {"a fraction of a negative literal", 1, -2.5f},
        {"an item that does not exist", 1, 16},
        {"a negative one", 1, -16},
        {"one beyond all", 1, 1e30f},
        {"a negative one beyond all", 1, -1e30f},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        parts p;
        open_parts(&p);
        (bad[i].is_literal ? p.literals : p.lengths)[3] = bad[i].value;
        expect_refused(&p, bad[i].what);
        nln_safetensors_free(p.file);
    }
}

static void bad_shapes_are_refused(void **state)
{
    (void)state;
    parts p, q;
    open_parts(&p);
    for (size_t i = p.n_tensors - 2; i < p.n_tensors; i++) {
        q = p;
        q.tensors[i].shape[0]--;
        expect_refused(&q, "one number too few");
        q = p;
        q.tensors[i].n_dims = 2;
        q.tensors[i].shape[1] = 1;
        expect_refused(&q, "a matrix");
        q = p;
        q.tensors[i] = q.tensors[--q.n_tensors];
        expect_refused(&q, "a tensor that is not there");
    }
    nln_safetensors_free(p.file);
}

static void bad_names_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "{}", "[]", "[\"u0\"]", "[1]"};
    parts p;
    open_parts(&p);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        p.metadata[5].value = bad[i];
        expect_refused(&p, bad[i]);
    }
    char twice[1024];
    const char *names = nln_safetensors_metadata(p.file, "users"), *second = strstr(names, "u1\"");
    snprintf(twice, sizeof twice, "%.*su0%s", (int)(second - names), names, second + 2);
    p.metadata[5].value = twice;
    expect_refused(&p, twice);
    nln_safetensors_free(p.file);
}

/* A file with a text in it replaced by one of the same length; its path. */
static const char *replaced(const char *name, const char *old, const char *new)
{
    size_t n, length = strlen(old);
    char *bytes = scratch_read(&n, name), *at = bytes;
    while (at + length < bytes + n && memcmp(at, old, length) != 0)
        at++;
    assert_true(at + length < bytes + n);
    memcpy(at, new, length);
    FILE *out = fopen(scratch_path("broken"), "wb");
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    fclose(out);
    free(bytes);
    return scratch_path("broken");
}

static void expect_text_refused(const char *old, const char *new)
{
    nln_model *loaded = NULL;
    nln_error err = {0};
    if (nln_model_load(&loaded, replaced("graded", old, new), &err) != NLN_FORMAT)
        fail_msg("a file was taken: %s", new);
}

static void bad_grades_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"5 1 2 4", "1 5 6 4", "1 5 2 9", "1 5 2 x", "1 5 2  ",
                                      "x 5 2 4", "1,5 2 4", "1 5 2.4", "1 5 -14"};
    nln_ratings *r;
    nln_model *m = graded(&r);
    char old[16];
    save(m, "graded");
    snprintf(old, sizeof old, "1 5 %d %d", m->grading.usual[0], m->grading.usual[1]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_text_refused(old, bad[i]);
    expect_text_refused("\"grades\":\"1", "\"gradez\":\"1");
    expect_text_refused("users.grade", "users.gradf");
    nln_model_free(m);
    nln_ratings_free(r);
}

/* Whatever the recipe says of grades now. */
static void files_from_before_grades_have_none(void **state)
{
    (void)state;
    nln_ratings *r = likes_random(25, 15, 12, 9);
    nln_model *m = likes_train(NULL, r, "task=preference dimension=8 epochs=1 grades=0");
    save(m, "ungraded");
    nln_model *again = load(replaced("ungraded", "\\\"grades\\\":\\\"0\\\",", "                 "));
    assert_int_equal(again->grading.n, 0);
    assert_string_equal(nln_options_text(nln_model_options(again), "grades"), "0");
    nln_model_free(m);
    nln_model_free(again);
    nln_ratings_free(r);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(literals_are_signed_numbers),
        TEST(a_model_keeps_its_users),
        TEST(what_is_saved_is_loaded),
        TEST(names_may_be_any_text),
        TEST(a_model_need_not_keep_them),
        TEST(a_known_user_may_have_a_variable),
        TEST(variables_of_users_need_their_names),
        TEST(unchanged_parts_are_taken),
        TEST(bad_numbers_are_refused),
        TEST(bad_shapes_are_refused),
        TEST(bad_names_are_refused),
        TEST(grades_are_kept),
        TEST(bad_grades_are_refused),
        TEST(labels_are_taken_for_the_usual_grades),
        TEST(files_from_before_grades_have_none),
    };
    return cmocka_run_group_tests(tests, make_model, free_model);
}
