#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/symbols.h"
#include "nln.h"
#include "scratch.h"

/* ---- a generated file in memory -------------------------------------------- */

typedef struct row {
    int user, item, rating; /* ids, from 1 */
    long long time;
} row;

typedef struct shop {
    int n, users, items;
    row *rows;           /* [n] */
    nln_symbols *titles; /* in the order of the titles file */
    int *id;             /* [items] of the item with title t */
    int *title;          /* [items + 1] and back, by id */
} shop;

static nln_status generate(int users, int items, int ratings, const char *rules, const char *seed,
                           nln_error *err)
{
    char text[32];
    nln_options *o = NULL;
    assert_int_equal(nln_options_create(&o, "generate ratings", err), NLN_OK);
    snprintf(text, sizeof text, "%d", users);
    assert_int_equal(nln_options_set(o, "users", text, err), NLN_OK);
    snprintf(text, sizeof text, "%d", items);
    assert_int_equal(nln_options_set(o, "items", text, err), NLN_OK);
    snprintf(text, sizeof text, "%d", ratings);
    assert_int_equal(nln_options_set(o, "ratings", text, err), NLN_OK);
    assert_int_equal(nln_options_set(o, "rules", rules, err), NLN_OK);
    assert_int_equal(nln_options_set(o, "seed", seed, err), NLN_OK);
    nln_status status = nln_ratings_generate(scratch_path("r.csv"), scratch_path("t.tsv"), o, err);
    nln_options_free(o);
    return status;
}

static void read_rows(shop *s)
{
    size_t bytes;
    char *text = scratch_read(&bytes, "r.csv"), *at = text, *end = text;
    assert_non_null(text);
    assert_memory_equal(at, "user,item,rating,time\n", 22);
    for (at += 22, s->n = 0; *at; at = end + 1, s->n++) {
        row *to = &s->rows[s->n];
        char beyond;
        end = strchr(at, '\n');
        assert_non_null(end);
        *end = '\0';
        assert_int_equal(
            sscanf(at, "u%d,i%d,%d,%lld%c", &to->user, &to->item, &to->rating, &to->time, &beyond),
            4);
    }
    free(text);
}

static void read_titles(shop *s)
{
    size_t bytes;
    char *text = scratch_read(&bytes, "t.tsv"), *at = text;
    int n = 0;
    assert_non_null(text);
    for (; *at; n++) {
        char *tab = strchr(at, '\t'), *end = strchr(at, '\n');
        assert_true(n < s->items && tab && end && tab < end);
        s->id[n] = atoi(at + 1);
        assert_in_range(s->id[n], 1, s->items);
        assert_int_equal(s->title[s->id[n]], -1);
        s->title[s->id[n]] = n;
        assert_int_equal(nln_symbols_intern(s->titles, tab + 1, (size_t)(end - tab - 1)), n);
        at = end + 1;
    }
    assert_int_equal(n, s->items);
    free(text);
}

static shop open_shop(int users, int items, int ratings, const char *rules, const char *seed)
{
    nln_error err = {0};
    shop s = {.users = users, .items = items, .titles = nln_symbols_create()};
    size_t n = (size_t)items + 1;
    if (generate(users, items, ratings, rules, seed, &err))
        fail_msg("%s", err.message);
    s.rows = malloc((size_t)(ratings + 1) * sizeof *s.rows);
    s.id = malloc(n * sizeof *s.id);
    s.title = malloc(n * sizeof *s.title);
    assert_true(s.rows && s.id && s.title && s.titles);
    memset(s.title, -1, n * sizeof *s.title);
    read_rows(&s);
    read_titles(&s);
    return s;
}

static void close_shop(shop *s)
{
    nln_symbols_free(s->titles);
    free(s->rows);
    free(s->id);
    free(s->title);
}

/* ---- counts ------------------------------------------------------------------ */

static void expect_sound(const shop *s, int ratings)
{
    int *last_user = calloc((size_t)s->items + 1, sizeof *last_user), users = 0, of_user = 0;
    int least = ratings / s->users < 5 ? ratings / s->users : 5;
    assert_non_null(last_user);
    assert_int_equal(s->n, ratings);
    for (int i = 0; i < s->n; i++) {
        row at = s->rows[i];
        int is_new = at.user != users;
        if (is_new) {
            assert_int_equal(at.user, users + 1);
            assert_true(users == 0 || of_user >= least);
            users++;
            of_user = 0;
        }
        of_user++;
        assert_in_range(at.item, 1, s->items);
        assert_in_range(at.rating, 1, 5);
        assert_true(at.time > 1104537600 && at.time < 4102444800); /* 2005 to 2099 */
        assert_true(is_new || at.time > s->rows[i - 1].time);
        assert_int_not_equal(last_user[at.item], at.user);
        last_user[at.item] = at.user;
    }
    assert_int_equal(users, s->users);
    assert_true(of_user >= least);
    free(last_user);
}

static void counts_are_exact_and_no_pair_is_twice(void **state)
{
    (void)state;
    static const int cases[][3] = {
        {1000, 500, 50000},                                    /* the defaults */
        {1, 10, 10},        {7, 10, 70},    {50, 33, 50 * 33}, /* everything rated */
        {50, 33, 50 * 30},  {10, 10, 10},   {100, 40, 399},    /* almost everything; few each */
        {333, 1000, 4000},  {500, 17, 999}, {3, 5000, 9000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shop s = open_shop(cases[i][0], cases[i][1], cases[i][2], "0.5", "3");
        expect_sound(&s, cases[i][2]);
        close_shop(&s);
    }
}

static int descending(const void *a, const void *b)
{
    return *(const int *)b - *(const int *)a;
}

static void users_and_items_have_long_tails(void **state)
{
    (void)state;
    enum { USERS = 943, ITEMS = 1682, RATINGS = 100000 };
    static int of_user[USERS], of_item[ITEMS];
    shop s = open_shop(USERS, ITEMS, RATINGS, "0.5", "1");
    for (int i = 0; i < s.n; i++) {
        of_user[s.rows[i].user - 1]++;
        of_item[s.rows[i].item - 1]++;
    }
    qsort(of_user, USERS, sizeof *of_user, descending);
    qsort(of_item, ITEMS, sizeof *of_item, descending);
    int top = 0;
    for (int i = 0; i < ITEMS / 10; i++)
        top += of_item[i];
    assert_true(of_user[0] > 4 * RATINGS / USERS);
    assert_true(of_user[USERS / 2] < RATINGS / USERS / 2);
    assert_true(of_item[0] > 3 * RATINGS / ITEMS);
    assert_true(top > RATINGS / 5);
    assert_true(of_item[ITEMS - 1] > 0);
    close_shop(&s);
}

static char *both_files(size_t *n)
{
    size_t a, b;
    char *ratings = scratch_read(&a, "r.csv"), *titles = scratch_read(&b, "t.tsv");
    assert_true(ratings && titles);
    *n = a + b;
    ratings = realloc(ratings, *n);
    assert_non_null(ratings);
    memcpy(ratings + a, titles, b);
    free(titles);
    return ratings;
}

static void the_seed_tells_every_byte(void **state)
{
    (void)state;
    size_t n[3];
    char *bytes[3];
    static const char *const seeds[] = {"8", "8", "9"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(generate(200, 100, 4000, "0.5", seeds[i], NULL), NLN_OK);
        bytes[i] = both_files(&n[i]);
    }
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(bytes[0], bytes[1], n[0]);
    assert_true(n[0] != n[2] || memcmp(bytes[0], bytes[2], n[0]));
    for (int i = 0; i < 3; i++)
        free(bytes[i]);
}

/* ---- rules, seen through titles alone ------------------------------------------ */

/* The id of the item with this title, 0 when there is none. */
static int find(const shop *s, const char *title)
{
    int32_t t = nln_symbols_find(s->titles, title, strlen(title));
    return t < 0 ? 0 : s->id[t];
}

static const char *title_of(const shop *s, int item)
{
    return nln_symbols_name(s->titles, s->title[item]);
}

/* The item of which this one is the sequel; 0 when it is none. */
static int prequel(const shop *s, int item)
{
    const char *title = title_of(s, item), *mark = strstr(title, " II");
    char name[256];
    if (!mark)
        return 0;
    int third = mark[3] == 'I';
    snprintf(name, sizeof name, "%.*s%s", (int)(mark - title) + (third ? 3 : 0), title,
             mark + (third ? 4 : 3));
    return find(s, name);
}

/* What the user of row i thinks of an item in the rows before: 1 likes, 0 dislikes, -1 has not
 * met it in the last `most`. */
static int opinion(const shop *s, int i, int item, int most)
{
    for (int j = i - 1; j >= 0 && j >= i - most && s->rows[j].user == s->rows[i].user; j--)
        if (s->rows[j].item == item)
            return s->rows[j].rating >= 4;
    return -1;
}

/* The share of likes that are the sequel of a recent like, and what it is when each user has
 * the likes of another one. */
static void measure_sequels(double *share, double *by_chance, const shop *s)
{
    nln_random random = nln_random_seed(1, 0);
    double n = 0, sequels = 0, chances = 0;
    for (int i = 1; i < s->n; i++) {
        if (s->rows[i].rating < 4 || s->rows[i].user != s->rows[i - 1].user)
            continue;
        int before = prequel(s, s->rows[i].item);
        int other = prequel(s, s->rows[nln_random_below(&random, (uint64_t)s->n)].item);
        n++;
        sequels += before && opinion(s, i, before, 10) == 1;
        chances += other && opinion(s, i, other, 10) == 1;
    }
    *share = sequels / n;
    *by_chance = chances / n;
}

static void the_next_like_is_often_a_sequel(void **state)
{
    (void)state;
    double with, without, chance;
    shop s = open_shop(1000, 500, 50000, "0.5", "1");
    measure_sequels(&with, &chance, &s);
    close_shop(&s);
    print_message("sequels among likes: %.3f, by chance %.3f\n", with, chance);
    assert_true(with > 0.25 && with > 5 * chance);
    s = open_shop(1000, 500, 50000, "0", "1");
    measure_sequels(&without, &chance, &s);
    close_shop(&s);
    assert_true(without < with / 3);
}

/* Likes and all among the rows of one kind. */
typedef struct tally {
    double likes, n;
} tally;

static void count(tally *t, int liked)
{
    t->likes += liked;
    t->n++;
}

static void spoofs_please_only_those_who_dislike_the_original(void **state)
{
    (void)state;
    tally after[2] = {{0}};
    shop s = open_shop(1000, 500, 50000, "0.5", "1");
    for (int i = 0; i < s.n; i++) {
        const char *title = title_of(&s, s.rows[i].item);
        int before = strncmp(title, "Not ", 4) ? 0 : find(&s, title + 4);
        int of_original = before ? opinion(&s, i, before, s.n) : -1;
        if (of_original >= 0)
            count(&after[of_original], s.rows[i].rating >= 4);
    }
    close_shop(&s);
    assert_true(after[0].n > 200 && after[1].n > 200);
    assert_true(after[0].likes > 0.85 * after[0].n);
    assert_true(after[1].likes < 0.15 * after[1].n);
}

/* The two parts of "The A meets The B (topic)". */
static int find_parts(int parts[2], const shop *s, int item)
{
    const char *title = title_of(s, item), *mark = strstr(title, " meets ");
    char name[256];
    if (!mark)
        return 0;
    snprintf(name, sizeof name, "%.*s%s", (int)(mark - title), title, strrchr(title, '(') - 1);
    parts[0] = find(s, name);
    parts[1] = find(s, mark + 7);
    return parts[0] && parts[1];
}

static void who_likes_both_likes_the_meeting(void **state)
{
    (void)state;
    tally both = {0}, others = {0};
    shop s = open_shop(1000, 500, 50000, "0.5", "1");
    for (int i = 0; i < s.n; i++) {
        int parts[2];
        if (!find_parts(parts, &s, s.rows[i].item))
            continue;
        int all = opinion(&s, i, parts[0], s.n) == 1 && opinion(&s, i, parts[1], s.n) == 1;
        count(all ? &both : &others, s.rows[i].rating >= 4);
    }
    close_shop(&s);
    assert_true(both.n > 200 && others.n > 200);
    assert_true(both.likes > 0.85 * both.n);
    assert_true(others.likes < 0.7 * others.n);
}

/* The likes less the dislikes of a topic, in the user's rows before row i. */
static int fondness(const shop *s, int i)
{
    const char *topic = strrchr(title_of(s, s->rows[i].item), '(');
    int sum = 0;
    for (int j = i - 1; j >= 0 && s->rows[j].user == s->rows[i].user; j--)
        if (!strcmp(strrchr(title_of(s, s->rows[j].item), '('), topic))
            sum += s->rows[j].rating >= 4 ? 1 : -1;
    return sum;
}

static void users_keep_to_their_topics(void **state)
{
    (void)state;
    tally fond = {0}, averse = {0};
    shop s = open_shop(500, 1000, 10000, "0.3", "1");
    for (int i = 0; i < s.n; i++) {
        int sum = fondness(&s, i);
        if (sum >= 2)
            count(&fond, s.rows[i].rating >= 4);
        if (sum <= -2)
            count(&averse, s.rows[i].rating >= 4);
    }
    close_shop(&s);
    assert_true(fond.n > 1000 && averse.n > 500);
    assert_true(fond.likes / fond.n > 0.75);
    assert_true(averse.likes / averse.n < 0.4);
}

/* ---- refusals ------------------------------------------------------------------ */

static void impossible_counts_are_refused(void **state)
{
    (void)state;
    nln_error err = {0};
    assert_int_equal(generate(20, 10, 19, "0.5", "1", &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "--users (20)"));
    assert_int_equal(generate(20, 10, 201, "0.5", "1", &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "(200)"));
    assert_int_equal(scratch_count(), 0);
}

static void unwritable_paths_leave_nothing_behind(void **state)
{
    (void)state;
    nln_error err = {0};
    nln_options *o = NULL;
    assert_int_equal(nln_options_create(&o, "generate ratings", &err), NLN_OK);
    assert_int_equal(nln_ratings_generate(scratch_path("no/r"), scratch_path("t"), o, &err),
                     NLN_IO);
    assert_non_null(strstr(err.message, "no/r"));
    assert_int_equal(nln_ratings_generate(scratch_path("r"), scratch_path("no/t"), o, &err),
                     NLN_IO);
    assert_non_null(strstr(err.message, "no/t"));
    assert_int_equal(scratch_count(), 0);
    assert_int_equal(nln_ratings_generate(scratch_path("r"), NULL, o, &err), NLN_OK);
    assert_int_equal(scratch_count(), 1);
    nln_options_free(o);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(counts_are_exact_and_no_pair_is_twice),
        TEST(users_and_items_have_long_tails),
        TEST(the_seed_tells_every_byte),
        TEST(the_next_like_is_often_a_sequel),
        TEST(spoofs_please_only_those_who_dislike_the_original),
        TEST(who_likes_both_likes_the_meeting),
        TEST(users_keep_to_their_topics),
        TEST(impossible_counts_are_refused),
        TEST(unwritable_paths_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
