/* Generated ratings, with rules that can be learned from them.
 *
 * The items and the rules among them are those of generated_rules.h.  Users come one after
 * another; each has a favourite topic t, and each of their rows is made in one of three ways:
 *
 * - by noise: any item, and any rating;
 * - by a rule: the latest of the user's recent items that fires a rule decides; the item that the
 *   rule concludes is next, and liked or disliked as it says.  (A1 liked: next A2, liked; A1
 *   disliked: next the parody, liked.)  Where no rule fires:
 * - by taste: mostly of topic t and the similar one, sometimes of the opposite or of any topic,
 *   the first parts and the popular franchises more often than others.
 *
 * An item taken by taste is liked if a rule of its franchise says so.  If no rule fires, users
 * mostly like topic t and the similar one, dislike the opposite one, and of other topics like the
 * good franchises.
 *
 * Popularity and activity have long tails: a rank is drawn as an octave and then a place in
 * it, in whole numbers, so that every machine writes the same bytes.  Only two numbers for each
 * item are kept. */

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/options.h"
#include "base/random.h"
#include "data/generated_rules.h"

enum {
    RECENT = 8,           /* interactions in which a rule looks for its premise */
    MOST_TRIES = 32,      /* draws by taste before a user takes any item */
    ACTIVITY_LEVELS = 30, /* four octaves */
    LEAST_OF_USER = 5,
    FIRST_DAY = 1104537600, /* 2005-01-01, in unix time */
    DAYS = 3650,
    DAY = 86400,
    GAP_OCTAVES = 18 /* up to some three days between interactions */
};

typedef struct generator {
    nln_generated_items items;
    double rules, noise;
    uint64_t seed;
    int32_t *order;  /* [items] a shuffle: item i has the id order[i] + 1 */
    uint32_t *rated; /* [items] 2 user + liked, of the last user who rated it; users from 1 */
    size_t next;     /* index into order: where the search for any item goes on */
    nln_output *out;
} generator;

typedef struct user {
    uint32_t number;
    size_t topic; /* the favourite */
    uint64_t time;
    size_t n;              /* interactions so far */
    size_t recent[RECENT]; /* interaction j is at j % RECENT */
    nln_random random;
} user;

/* ---- numbers ------------------------------------------------------------- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int chance(nln_random *r, double share)
{
    return nln_random_uniform(r) < share;
}

/* A rank in 0 .. n - 1, the chance of which falls about as 1 / (rank + 2): octave k has the
 * 2^(k+1) ranks from 2^(k+1) - 2 on. */
static size_t draw_rank(nln_random *r, size_t n)
{
    uint64_t octaves = 1;
    while (((uint64_t)2 << octaves) - 2 < n)
        octaves++;
    for (;;) {
        uint64_t size = (uint64_t)2 << nln_random_below(r, octaves);
        uint64_t rank = size - 2 + nln_random_below(r, size);
        if (rank < n)
            return (size_t)rank;
    }
}

/* ---- choosing an item ---------------------------------------------------- */

static int has_rated(const generator *g, const user *u, size_t item)
{
    return g->rated[item] >> 1 == u->number;
}

/* The item of a role in the franchise of `item`; n_items when the franchise lacks it. */
static size_t of_franchise(const generator *g, size_t item, int role)
{
    return smaller(item - item % NLN_FRANCHISE_ITEMS + (size_t)role, g->items.n_items);
}

/* Whether the premises of the rule hold in the franchise of `item`. */
static int fires(const generator *g, const user *u, size_t item, const nln_generated_rule *rule)
{
    const nln_generated_literal *premises[] = {&rule->when, &rule->also};
    for (int i = 0; i < 2; i++) {
        size_t premise = of_franchise(g, item, premises[i]->role);
        if (premise == g->items.n_items ||
            g->rated[premise] != 2 * u->number + (uint32_t)premises[i]->liked)
            return 0;
    }
    return 1;
}

/* The next item of the shuffle that the user has not rated; there must be one.  Since the
 * search goes on where it ended, every item is rated sooner or later. */
static size_t any_item(generator *g, const user *u)
{
    for (;;) {
        size_t item = (size_t)g->order[g->next];
        g->next = (g->next + 1) % g->items.n_items;
        if (!has_rated(g, u, item))
            return item;
    }
}

/* An item, not rated before, that a rule concludes from the latest possible of the recent items,
 * each at the same chance; n_items when there is none. */
static size_t item_by_rule(const generator *g, user *u)
{
    size_t found = g->items.n_items, n = 0;
    for (size_t back = 1; n == 0 && back <= RECENT && back <= u->n; back++) {
        size_t item = u->recent[(u->n - back) % RECENT];
        int role = (int)(item % NLN_FRANCHISE_ITEMS);
        for (int i = 0; i < NLN_FRANCHISE_RULES; i++) {
            const nln_generated_rule *rule = &nln_generated_rules[i];
            size_t next = of_franchise(g, item, rule->then.role);
            if ((rule->when.role == role || rule->also.role == role) && fires(g, u, item, rule) &&
                next < g->items.n_items && !has_rated(g, u, next) &&
                nln_random_below(&u->random, ++n) == 0)
                found = next;
        }
    }
    return found;
}

static size_t draw_topic(const generator *g, user *u)
{
    uint64_t draw = nln_random_below(&u->random, 8);
    if (draw < 3)
        return u->topic;
    if (draw == 3)
        return nln_generated_items_similar(&g->items, u->topic);
    if (draw < 6)
        return nln_generated_items_opposite(&g->items, u->topic);
    return nln_random_below(&u->random, g->items.n_topics);
}

static size_t item_by_taste(generator *g, user *u)
{
    static const uint8_t roles[] = {
        NLN_FRANCHISE_A1, NLN_FRANCHISE_A1, NLN_FRANCHISE_A1,     NLN_FRANCHISE_A1,
        NLN_FRANCHISE_B1, NLN_FRANCHISE_B1, NLN_FRANCHISE_B1,     NLN_FRANCHISE_B1,
        NLN_FRANCHISE_A2, NLN_FRANCHISE_A3, NLN_FRANCHISE_B2,     NLN_FRANCHISE_B3,
        NLN_FRANCHISE_A2, NLN_FRANCHISE_B2, NLN_FRANCHISE_PARODY, NLN_FRANCHISE_CROSSOVER,
    };
    size_t n_topics = g->items.n_topics;
    for (int i = 0; i < MOST_TRIES; i++) {
        size_t topic = draw_topic(g, u);
        size_t n = (g->items.n_franchises - topic + n_topics - 1) / n_topics;
        size_t rank = draw_rank(&u->random, n);
        if (topic != u->topic) /* of other topics, users know the popular franchises best */
            rank = smaller(rank, draw_rank(&u->random, n));
        int role = roles[nln_random_below(&u->random, sizeof roles)];
        size_t item = of_franchise(g, (rank * n_topics + topic) * NLN_FRANCHISE_ITEMS, role);
        if (item < g->items.n_items && !has_rated(g, u, item))
            return item;
    }
    return any_item(g, u);
}

static int likes(const generator *g, user *u, size_t item)
{
    for (int i = 0; i < NLN_FRANCHISE_RULES; i++)
        if (nln_generated_rules[i].then.role == (int)(item % NLN_FRANCHISE_ITEMS) &&
            fires(g, u, item, &nln_generated_rules[i]))
            return nln_generated_rules[i].then.liked;
    size_t topic = nln_generated_items_topic(&g->items, item);
    if (topic == u->topic || topic == nln_generated_items_similar(&g->items, u->topic))
        return chance(&u->random, 0.9);
    if (topic == nln_generated_items_opposite(&g->items, u->topic))
        return chance(&u->random, 0.1);
    int good = nln_random_mix(g->seed ^ nln_random_mix(item / NLN_FRANCHISE_ITEMS)) & 1;
    return chance(&u->random, good ? 0.8 : 0.2);
}

/* ---- users --------------------------------------------------------------- */

static void add_row(generator *g, user *u)
{
    size_t item = g->items.n_items;
    int rating = 0;
    if (chance(&u->random, g->noise)) {
        item = any_item(g, u);
        rating = 1 + (int)nln_random_below(&u->random, 5);
    } else {
        if (chance(&u->random, g->rules))
            item = item_by_rule(g, u);
        if (item == g->items.n_items)
            item = item_by_taste(g, u);
        int liked = likes(g, u, item);
        rating = liked ? 4 : 1;
        rating += (int)nln_random_below(&u->random, liked ? 2 : 3);
    }
    g->rated[item] = 2 * u->number + (rating >= 4);
    u->recent[u->n++ % RECENT] = item;
    uint64_t longest_gap = (uint64_t)1 << nln_random_below(&u->random, GAP_OCTAVES);
    u->time += 1 + nln_random_below(&u->random, longest_gap);
    nln_output_printf(g->out, "u%lu,i%ld,%d,%llu\n", (unsigned long)u->number,
                      (long)g->order[item] + 1, rating, (unsigned long long)u->time);
}

/* The product of two long tails; computed again whenever it is needed, so that none is stored. */
static double activity(const generator *g, size_t user_number)
{
    nln_random r = nln_random_seed(~g->seed, user_number);
    size_t level = 1 + draw_rank(&r, ACTIVITY_LEVELS);
    return (double)(level * (1 + draw_rank(&r, ACTIVITY_LEVELS)));
}

/* Every user has `least` rows, and a share of the others by activity.  A user who would have
 * more than `most` leaves the rest to the users who follow, who can always take it. */
static void add_users(generator *g, size_t n_users, size_t n_rows)
{
    size_t n_items = g->items.n_items, mean = n_rows / n_users;
    size_t least = smaller(mean, LEAST_OF_USER);
    size_t most = smaller(larger(n_items / 2, 2 * (mean + 1)), n_items);
    double total = 0, so_far = 0, shared = (double)(n_rows - n_users * least);
    for (size_t i = 1; i <= n_users; i++)
        total += activity(g, i);
    for (size_t i = 1, done = 0; i <= n_users; i++) {
        size_t after = n_users - i, rest = n_rows - done;
        so_far += activity(g, i);
        size_t wanted = (size_t)(shared * (so_far / total)) + i * least;
        size_t n = smaller(wanted > done ? wanted - done : 0, most);
        n = larger(n, rest > after * most ? rest - after * most : 0);
        done += n;
        user u = {.number = (uint32_t)i, .random = nln_random_seed(g->seed, i)};
        u.topic = draw_rank(&u.random, g->items.n_topics);
        u.time = FIRST_DAY + nln_random_below(&u.random, (uint64_t)DAYS * DAY);
        for (size_t k = 0; k < n; k++)
            add_row(g, &u);
    }
}

/* ---- files --------------------------------------------------------------- */

static nln_status write_titles(const generator *g, const char *path, nln_error *err)
{
    nln_output *out = NULL;
    nln_status status = nln_output_open(&out, path, err);
    if (status)
        return status;
    for (size_t i = 0; i < g->items.n_items; i++) {
        char title[NLN_TITLE_ROOM];
        nln_generated_items_title(title, &g->items, i);
        nln_output_printf(out, "i%ld\t%s\n", (long)g->order[i] + 1, title);
    }
    return nln_output_finish(out, err);
}

static nln_status create_generator(generator *g, const nln_options *o, nln_error *err)
{
    double users = nln_options_number(o, "users"), items = nln_options_number(o, "items");
    double ratings = nln_options_number(o, "ratings");
    size_t n = (size_t)items;
    if (ratings < users)
        return nln_error_set(err, NLN_INVALID,
                             "option --ratings (%.0f) must be at least --users (%.0f), so that "
                             "every user has one",
                             ratings, users);
    if (ratings > users * items)
        return nln_error_set(err, NLN_INVALID,
                             "option --ratings (%.0f) must not be above --users times --items "
                             "(%.0f), since a user rates an item only once",
                             ratings, users * items);
    g->items = nln_generated_items_create(n);
    g->rules = nln_options_number(o, "rules");
    g->noise = nln_options_number(o, "noise");
    g->seed = (uint64_t)nln_options_number(o, "seed");
    g->order = nln_array_zeroed(n, sizeof *g->order);
    g->rated = nln_array_zeroed(n, sizeof *g->rated);
    if (!g->order || !g->rated)
        return nln_error_memory(err);
    nln_random random = nln_random_seed(g->seed, 0);
    for (size_t i = 0; i < n; i++)
        g->order[i] = (int32_t)i;
    nln_random_shuffle(&random, g->order, (int32_t)n);
    return NLN_OK;
}

nln_status nln_ratings_generate(const char *path, const char *titles, const nln_options *o,
                                nln_error *err)
{
    generator g = {0};
    nln_status status;
    if ((status = nln_options_check(o, "generate ratings", err)) ||
        (status = create_generator(&g, o, err)) || (status = nln_output_open(&g.out, path, err)) ||
        (titles && (status = write_titles(&g, titles, err)))) {
        nln_output_abandon(g.out);
    } else {
        nln_output_printf(g.out, "user,item,rating,time\n");
        add_users(&g, (size_t)nln_options_number(o, "users"),
                  (size_t)nln_options_number(o, "ratings"));
        status = nln_output_finish(g.out, err);
    }
    nln_free(g.order);
    nln_free(g.rated);
    return status;
}
