#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "likes.h"
#include "models/method.h"
#include "training/source.h"

#define PREFERENCE "task=preference dimension=4 history=3 threads=1 "
#define TOPK       "task=topk dimension=4 history=3 threads=1 "
#define PAIRS      TOPK "loss=pairwise "
#define CHOICE     TOPK "loss=softmax "

enum { USERS = 30, ITEMS = 25 };

static nln_ratings *ratings;

static int make_ratings(void **state)
{
    (void)state;
    ratings = likes_random(USERS, ITEMS, 14, 3);
    return 0;
}

static int free_ratings(void **state)
{
    (void)state;
    nln_ratings_free(ratings);
    return 0;
}

static const nln_rating_grades none;

/* A source with the model whose configuration it borrows. */
typedef struct fixture {
    nln_model *model;
    nln_source *source;
    int32_t *units; /* all of them, in order */
} fixture;

/* The settings are those of no recipe but what is given. */
static fixture open_source(const nln_ratings *r, const char *settings)
{
    char all[256];
    fixture f = {0};
    nln_error err = {0};
    nln_random random = nln_random_seed(5, 5);
    snprintf(all, sizeof all, "together=1 drop-history=0 history=10 shuffle=true negatives=100 %s",
             settings);
    nln_options *o = tiny_options("train", all);
    tiny_need(nln_model_create_for(&f.model, r->items, nln_ratings_users(r), o, &err), &err);
    nln_model_draw(f.model, &random);
    nln_options_free(o);
    tiny_need(nln_source_of_ratings(&f.source, r, &err), &err);
    tiny_need(f.source->open(f.source, f.model, &err), &err);
    f.units = malloc((f.source->n + 1) * sizeof *f.units);
    for (size_t i = 0; i < f.source->n; i++)
        f.units[i] = (int32_t)i;
    return f;
}

static void close_source(fixture *f)
{
    f->source->free(f->source);
    nln_model_free(f->model);
    free(f->units);
}

static nln_request draw_all(fixture *f, uint64_t key)
{
    nln_request d;
    nln_error err = {0};
    tiny_need(f->source->draw(&d, f->source, f->units, (int32_t)f->source->n, key, &err), &err);
    assert_int_equal(d.loss_kind, f->source->loss_kind);
    assert_true(d.key == key);
    return d;
}

/* An interaction of training, as the test lists them itself. */
typedef struct unit {
    int32_t user, item;
    size_t at;
    int liked;
} unit;

/* Those with `least` before them; the liked ones only, if `only_liked`. */
static size_t list_units(unit *out, const nln_ratings *r, size_t least, int only_liked)
{
    size_t n = 0;
    for (int32_t u = 0; u < nln_symbols_count(r->users); u++)
        for (size_t i = r->start[u]; i < r->start[u + 1]; i++) {
            int liked = nln_ratings_liked(r, i);
            if (nln_ratings_split(r, i) == NLN_TRAIN && i - r->start[u] >= least &&
                (liked || !only_liked))
                out[n++] = (unit){u, r->item[i], i, liked};
        }
    return n;
}

static unit units[USERS * ITEMS];

static int likes_in_training(int32_t user, int32_t item)
{
    for (size_t i = ratings->start[user]; i < ratings->start[user + 1]; i++)
        if (ratings->item[i] == item)
            return nln_ratings_split(ratings, i) == NLN_TRAIN && nln_ratings_liked(ratings, i);
    return 0;
}

/* Case i of the list is the unit, with so much of its history at most. */
static void expect_case(const nln_queries *queries, size_t i, const unit *u, size_t most)
{
    nln_literal window[ITEMS];
    const nln_query *c = &queries->list[i];
    size_t n =
        nln_history_window(window, ratings, ratings->start[u->user], u->at, most, NULL, &none);
    assert_int_equal(c->user, u->user);
    assert_int_equal(c->target, u->item);
    assert_int_equal(c->n, n);
    for (size_t j = 0; j < n; j++) {
        assert_int_equal(queries->literal[c->first + j].item, window[j].item);
        assert_int_equal(queries->literal[c->first + j].liked, window[j].liked);
    }
}

static uint64_t mixed(uint64_t sum, size_t x)
{
    return nln_random_mix(sum ^ (uint64_t)x) + 1;
}

/* One number for all that a request of ratings says, to compare with the next. */
static uint64_t digest(nln_request request)
{
    int shared = request.loss_kind == NLN_LOSS_SOFTMAX;
    int64_t n_candidates = (int64_t)request.n_candidates * (shared ? 1 : request.n);
    uint64_t sum = mixed(mixed(0, request.queries->n), request.queries->n_literals);
    for (size_t i = 0; i < request.queries->n; i++) {
        const nln_query *c = &request.queries->list[i];
        sum = mixed(mixed(sum, c->first * 1000 + c->n), (size_t)(c->user * 1000 + c->target));
    }
    for (size_t i = 0; i < request.queries->n_literals; i++)
        sum = mixed(sum, 2 * request.queries->literal[i].item +
                             (request.queries->literal[i].liked != 0));
    for (int32_t i = 0; request.truth && i < request.n; i++)
        sum = mixed(sum, (size_t)(1000 * request.truth[i]));
    for (int64_t i = 0; i < n_candidates; i++)
        sum = mixed(sum, (size_t)request.candidate[i]);
    for (int64_t i = 0; request.refused && i < request.n * n_candidates; i++)
        sum = mixed(sum, request.refused[i]);
    return sum;
}

/* ---- all that a user met ------------------------------------------------------------- */

/* With context=all a history is the last of what the user met in training but the target. */
static void a_context_of_all_is_the_last_of_the_rest(void **state)
{
    (void)state;
    for (size_t most = 1; most <= 20; most++) {
        char settings[128];
        snprintf(settings, sizeof settings, PREFERENCE "context=all history=%zu", most);
        fixture f = open_source(ratings, settings);
        nln_request request = draw_all(&f, 7);
        size_t n_units = list_units(units, ratings, 0, 0);
        assert_int_equal(request.n, n_units);
        for (size_t i = 0; i < n_units; i++) {
            const nln_query *c = &request.queries->list[i];
            size_t left = c->n, start = ratings->start[units[i].user];
            size_t end = start, others;
            while (end < ratings->start[units[i].user + 1] &&
                   nln_ratings_split(ratings, end) == NLN_TRAIN)
                end++;
            others = end - start - 1;
            assert_int_equal(c->n, others < most ? others : most);
            for (size_t at = end; at > start && left; at--)
                if (at - 1 != units[i].at)
                    assert_int_equal(request.queries->literal[c->first + --left].item,
                                     ratings->item[at - 1]);
            assert_int_equal(left, 0);
        }
        close_source(&f);
    }
}

/* ---- units -------------------------------------------------------------------------- */

static void units_are_those_of_the_task(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        nln_loss_kind loss_kind;
        size_t least;
        int only_liked;
    } queries[] = {
        {PREFERENCE, NLN_LOSS_LABELS, 0, 0},
        {PREFERENCE "least-history=2", NLN_LOSS_LABELS, 2, 0},
        {PAIRS, NLN_LOSS_PAIRS, 0, 1},
        {TOPK "loss=pairwise-probability least-history=1", NLN_LOSS_PROBABILITY_PAIRS, 1, 1},
        {CHOICE "least-history=5", NLN_LOSS_SOFTMAX, 5, 1},
        {CHOICE "least-history=1000", NLN_LOSS_SOFTMAX, 1000, 1},
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        fixture f = open_source(ratings, queries[i].settings);
        assert_int_equal(f.source->loss_kind, queries[i].loss_kind);
        assert_int_equal(f.source->n,
                         list_units(units, ratings, queries[i].least, queries[i].only_liked));
        assert_int_equal(f.source->measure != nln_source_measure_labels, queries[i].only_liked);
        close_source(&f);
    }
}

static void count_equals_a_naive_count(void **state)
{
    (void)state;
    static const char *const settings[] = {PREFERENCE, PREFERENCE "history=1 least-history=1",
                                           CHOICE "history=100 least-history=3", PAIRS,
                                           CHOICE "user-vectors=0.5"};
    static const size_t most[] = {3, 1, 100, 3, 3}, least[] = {0, 1, 3, 0, 0};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        fixture f = open_source(ratings, settings[i]);
        int32_t got[ITEMS + USERS] = {0}, wanted[ITEMS + USERS] = {0};
        size_t n = list_units(units, ratings, least[i], i >= 2);
        for (size_t j = 0; j < n; j++) {
            nln_literal window[ITEMS];
            wanted[ITEMS + units[j].user] += f.model->n_user_variables > 0;
            size_t k = nln_history_window(window, ratings, ratings->start[units[j].user],
                                          units[j].at, most[i], NULL, &none);
            wanted[units[j].item]++;
            for (size_t l = 0; l < k; l++)
                wanted[window[l].item]++;
        }
        f.source->count(got, f.source);
        assert_memory_equal(got, wanted, sizeof got);
        close_source(&f);
    }
}

/* ---- labels ------------------------------------------------------------------------- */

static void labelled_cases_are_drawn_and_measured(void **state)
{
    (void)state;
    fixture f = open_source(ratings, PREFERENCE "least-history=1");
    size_t n = list_units(units, ratings, 1, 0);
    nln_request d = draw_all(&f, 7);
    assert_int_equal(d.n, n);
    assert_int_equal(d.queries->n, n);
    assert_null(d.exprs);
    for (size_t i = 0; i < n; i++) {
        expect_case(d.queries, i, &units[i], 3);
        assert_true(d.truth[i] == (real)units[i].liked);
    }
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        size_t at = 0;
        for (int32_t u = 0; u < USERS; u++)
            for (size_t i = ratings->start[u]; i < ratings->start[u + 1]; i++) {
                if (nln_ratings_split(ratings, i) != (nln_split)s)
                    continue;
                unit wanted = {u, ratings->item[i], i, nln_ratings_liked(ratings, i)};
                expect_case(&f.source->queries[s], at, &wanted, 3);
                assert_int_equal(f.source->truths[s].label[at++], wanted.liked);
            }
        assert_int_equal(f.source->queries[s].n, at);
        assert_int_equal(nln_source_size(f.source, (nln_split)s), at);
    }
    close_source(&f);
}

static void expect_truth(const nln_ratings *r, const char *settings, const double *wanted)
{
    fixture f = open_source(r, settings);
    nln_request d = draw_all(&f, 7);
    for (int32_t i = 0; i < d.n; i++)
        assert_true(fabs((double)d.truth[i] - wanted[i]) < 1e-6);
    for (size_t i = 0; i < f.source->n; i++) /* what is measured is not */
        assert_int_equal(f.source->truths[NLN_TRAIN].label[i], wanted[i] > 0.5);
    close_source(&f);
}

/* The line is at 3.5, and a doubt of an eighth of the range from 1 to 5 is half a star. */
static void ratings_near_the_line_are_in_doubt(void **state)
{
    (void)state;
    static const float stars[] = {1, 3, 4, 5, 2};
    static const double sure[] = {0, 0, 1, 1, 0};
    nln_ratings *r = likes_of("ann -a -b +c +d -e | +f | -g");
    double wanted[5];
    expect_truth(r, PREFERENCE "soften=0.125", sure); /* likes and dislikes alone say no more */
    for (size_t i = 0; i < 5; i++) {
        r->rating[i] = stars[i];
        wanted[i] = 1 / (1 + exp(-((double)stars[i] - 3.5) / 0.5));
    }
    expect_truth(r, PREFERENCE "soften=0.125", wanted);
    expect_truth(r, PREFERENCE "soften=0", sure);
    r->rating[2] = 2; /* a like below a dislike: there is no line */
    expect_truth(r, PREFERENCE "soften=0.125", sure);
    nln_ratings_free(r);
}

static void without_likes_or_dislikes_there_is_no_line(void **state)
{
    (void)state;
    static const char *const texts[] = {"ann +a +b +c | +d | +e", "ann -a -b -c | -d | -e"};
    for (int liked = 0; liked < 2; liked++) {
        nln_ratings *r = likes_of(texts[!liked]);
        const double wanted[] = {liked, liked, liked};
        for (size_t i = 0; i < 3; i++)
            r->rating[i] = (float)i;
        expect_truth(r, PREFERENCE "soften=0.125", wanted);
        nln_ratings_free(r);
    }
}

/* Any units in any order, some of them twice. */
static void the_units_asked_for_are_drawn(void **state)
{
    (void)state;
    static const int32_t asked[] = {5, 0, 9, 5, 17};
    fixture f = open_source(ratings, PREFERENCE);
    nln_request d;
    list_units(units, ratings, 0, 0);
    assert_int_equal(f.source->draw(&d, f.source, asked, 5, 1, NULL), NLN_OK);
    assert_int_equal(d.n, 5);
    for (size_t i = 0; i < 5; i++) {
        const unit *u = &units[asked[i]];
        expect_case(d.queries, i, u, 3);
        assert_true(d.truth[i] == (real)u->liked);
        assert_int_equal(d.unit[i], asked[i]);
    }
    close_source(&f);
}

/* What is left is in the order of the whole. */
static void histories_lose_literals(void **state)
{
    (void)state;
    fixture whole = open_source(ratings, PREFERENCE "history=10");
    fixture f = open_source(ratings, PREFERENCE "history=10 drop-history=0.5");
    const nln_queries *all = draw_all(&whole, 1).queries;
    double kept = 0;
    for (uint64_t key = 0; key < 50; key++) {
        const nln_queries *some = draw_all(&f, key).queries;
        for (size_t i = 0; i < f.source->n; i++) {
            const nln_query *c = &some->list[i], *w = &all->list[i];
            size_t at = 0;
            for (size_t j = 0; j < c->n; j++, at++) {
                while (at < w->n &&
                       all->literal[w->first + at].item != some->literal[c->first + j].item)
                    at++;
                assert_true(at < w->n);
                assert_int_equal(all->literal[w->first + at].liked,
                                 some->literal[c->first + j].liked);
            }
            assert_int_equal(c->target, w->target);
        }
        kept += (double)some->n_literals;
    }
    kept /= 50 * (double)all->n_literals;
    assert_true(kept > 0.45 && kept < 0.55);
    close_source(&f);
    close_source(&whole);
}

/* ---- runs --------------------------------------------------------------------------- */

/* The run of a unit: interactions of its user that are trained side by side. */
static size_t run_of(const unit *u, size_t together)
{
    size_t start = ratings->start[u->user];
    return start + (u->at - start) / together * together;
}

/* About as many queries have their user as asked for, and those of a run all or none. */
static void users_are_left_out(void **state)
{
    (void)state;
    enum { TOGETHER = 3, KEYS = 50 };
    fixture f = open_source(ratings, CHOICE "together=3 user-vectors=0.7");
    size_t n = list_units(units, ratings, 0, 1);
    double kept = 0;
    for (uint64_t key = 0; key < KEYS; key++) {
        const nln_queries *q = draw_all(&f, key).queries;
        for (size_t i = 0; i < n; i++) {
            int32_t user = q->list[i].user;
            assert_true(user == (int32_t)units[i].user || user == -1);
            if (i && units[i].user == units[i - 1].user &&
                run_of(&units[i], TOGETHER) == run_of(&units[i - 1], TOGETHER))
                assert_int_equal(user, q->list[i - 1].user);
            kept += user >= 0;
        }
    }
    kept /= KEYS * (double)n;
    assert_true(kept > 0.65 && kept < 0.75);
    close_source(&f);
}

static void histories_of_a_run_begin_alike(void **state)
{
    (void)state;
    enum { TOGETHER = 3, HISTORY = 5, BEFORE = HISTORY - (TOGETHER - 1) };
    fixture f = open_source(ratings, CHOICE "together=3 history=5");
    size_t n = list_units(units, ratings, 0, 1);
    nln_request d = draw_all(&f, 1);
    for (size_t i = 0; i < n; i++) {
        size_t start = ratings->start[units[i].user], run = run_of(&units[i], TOGETHER);
        size_t first = run > start + BEFORE ? run - BEFORE : start;
        assert_true(units[i].at - first <= HISTORY);
        expect_case(d.queries, i, &units[i], units[i].at - first);
    }
    close_source(&f);
}

static int same_run(const unit *a, const unit *b, size_t together)
{
    return a->user == b->user && run_of(a, together) == run_of(b, together);
}

/* Each run once, whole and in its own order. */
static void whole_runs_are_shuffled(void **state)
{
    (void)state;
    fixture f = open_source(ratings, CHOICE "together=4"), plain = open_source(ratings, CHOICE);
    size_t n = list_units(units, ratings, 0, 1), n_moved = 0;
    nln_random random = nln_random_seed(1, 1);
    int seen[USERS * ITEMS] = {0};
    f.source->shuffle(f.units, f.source, &random);
    for (size_t i = 0; i < n; i++) {
        int32_t at = f.units[i];
        assert_in_range(at, 0, n - 1);
        assert_int_equal(seen[at]++, 0);
        if (at && same_run(&units[at - 1], &units[at], 4))
            assert_true(i > 0 && f.units[i - 1] == at - 1);
        n_moved += at != (int32_t)i;
    }
    assert_true(n_moved > n / 2);
    assert_true(plain.source->shuffle == NULL);
    close_source(&f);
    close_source(&plain);
}

/* ---- pairs -------------------------------------------------------------------------- */

static void pairs_are_liked_and_not_liked(void **state)
{
    (void)state;
    enum { EACH = 3 };
    fixture f = open_source(ratings, PAIRS "negatives=3");
    size_t n = list_units(units, ratings, 0, 1);
    for (uint64_t key = 0; key < 20; key++) {
        nln_request d = draw_all(&f, key);
        assert_int_equal(d.n, n);
        assert_int_equal(d.queries->n, n);
        assert_int_equal(d.n_candidates, EACH);
        for (size_t i = 0; i < n; i++)
            expect_case(d.queries, i, &units[i], 3);
        for (size_t i = 0; i < EACH * n; i++) {
            assert_in_range(d.candidate[i], 0, ITEMS - 1);
            assert_false(likes_in_training(units[i / EACH].user, d.candidate[i]));
        }
    }
    close_source(&f);
}

/* ---- what methods ask for ----------------------------------------------------------- */

/* Case u is user u with all that training knows, whatever is dropped and however short the
 * histories of the units are. */
static void users_are_gathered_whole(void **state)
{
    (void)state;
    fixture f = open_source(ratings, PAIRS "history=1 drop-history=0.5");
    nln_queries users = {0};
    assert_int_equal(f.source->gather(&users, f.source, NULL), NLN_OK);
    assert_int_equal(users.n, USERS);
    for (int32_t u = 0; u < USERS; u++) {
        const nln_query *c = &users.list[u];
        size_t n = 0;
        assert_int_equal(c->user, u);
        for (size_t i = ratings->start[u]; i < ratings->start[u + 1]; i++)
            if (nln_ratings_split(ratings, i) == NLN_TRAIN) {
                nln_literal got = users.literal[c->first + n++];
                assert_int_equal(got.item, ratings->item[i]);
                assert_int_equal(got.liked, nln_ratings_liked(ratings, i));
            }
        assert_int_equal(c->n, n);
    }
    nln_queries_free(&users);
    close_source(&f);
}

static void methods_that_read_no_history_get_none(void **state)
{
    (void)state;
    fixture f = open_source(ratings, PAIRS "model=biasedmf");
    nln_request d = draw_all(&f, 1);
    assert_int_equal(d.queries->n, list_units(units, ratings, 0, 1));
    assert_int_equal(d.queries->n_literals, 0);
    close_source(&f);
}

/* ---- one of many -------------------------------------------------------------------- */

static void check_choice(fixture *f, size_t n, int32_t n_candidates, uint64_t key)
{
    nln_request d = draw_all(f, key);
    int seen[ITEMS] = {0};
    assert_int_equal(d.n, n);
    assert_int_equal(d.n_candidates, n_candidates);
    assert_int_equal(d.queries->n, n);
    for (size_t i = 0; i < n; i++)
        expect_case(d.queries, i, &units[i], 3);
    for (int32_t j = 0; j < n_candidates; j++) {
        int32_t item = d.candidate[j];
        assert_in_range(item, 0, ITEMS - 1);
        assert_int_equal(seen[item]++, 0);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(d.refused[i * (size_t)n_candidates + (size_t)j],
                             likes_in_training(units[i].user, item));
    }
}

static void negatives_are_distinct_and_the_liked_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        int32_t negatives;
    } queries[] = {{CHOICE "negatives=1", 1},
                   {CHOICE "negatives=7", 7},
                   {CHOICE "negatives=12", 12},
                   {CHOICE "negatives=100", ITEMS / 2}};
    size_t n = list_units(units, ratings, 0, 1);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        fixture f = open_source(ratings, queries[i].settings);
        for (uint64_t key = 0; key < 10; key++)
            check_choice(&f, n, queries[i].negatives, key);
        close_source(&f);
    }
}

/* A user who likes everything, and a catalogue of one. */
static void there_may_be_nothing_to_draw(void **state)
{
    (void)state;
    static const char *const settings[] = {CHOICE, PAIRS "negatives=2"};
    for (size_t i = 0; i < 2; i++) {
        nln_ratings *all = likes_of("ann +a +b +c +d"), *one = likes_of("ann +a");
        fixture f = open_source(all, settings[i]), g = open_source(one, settings[i]);
        assert_int_equal(draw_all(&f, 1).n, 4);
        assert_int_equal(draw_all(&f, 1).n_candidates, 2);
        assert_int_equal(draw_all(&g, 1).n, 1);
        assert_int_equal(draw_all(&g, 1).n_candidates, i ? 2 : 0);
        close_source(&f);
        close_source(&g);
        nln_ratings_free(all);
        nln_ratings_free(one);
    }
}

static void every_key_draws_anew_and_alike(void **state)
{
    (void)state;
    static const char *const settings[] = {PAIRS, CHOICE "negatives=9", CHOICE "drop-history=0.3",
                                           PREFERENCE "drop-history=0.3"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        fixture f = open_source(ratings, settings[i]);
        uint64_t first = digest(draw_all(&f, 1));
        assert_true(first != digest(draw_all(&f, 2)));
        assert_true(first == digest(draw_all(&f, 1)));
        close_source(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_those_of_the_task),
        cmocka_unit_test(count_equals_a_naive_count),
        cmocka_unit_test(labelled_cases_are_drawn_and_measured),
        cmocka_unit_test(ratings_near_the_line_are_in_doubt),
        cmocka_unit_test(without_likes_or_dislikes_there_is_no_line),
        cmocka_unit_test(the_units_asked_for_are_drawn),
        cmocka_unit_test(histories_lose_literals),
        cmocka_unit_test(histories_of_a_run_begin_alike),
        cmocka_unit_test(users_are_left_out),
        cmocka_unit_test(whole_runs_are_shuffled),
        cmocka_unit_test(pairs_are_liked_and_not_liked),
        cmocka_unit_test(users_are_gathered_whole),
        cmocka_unit_test(methods_that_read_no_history_get_none),
        cmocka_unit_test(negatives_are_distinct_and_the_liked_are_refused),
        cmocka_unit_test(there_may_be_nothing_to_draw),
        cmocka_unit_test(every_key_draws_anew_and_alike),
        cmocka_unit_test(a_context_of_all_is_the_last_of_the_rest),
    };
    return cmocka_run_group_tests(tests, make_ratings, free_ratings);
}
