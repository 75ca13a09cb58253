/* Ratings of a made-up shop, with rules that can be learned from them.
 *
 * The items and the rules among them are those of catalogue.h.  Users come one after another;
 * each has a favourite topic t, and a row of theirs is made in one of three ways:
 *
 * - by noise: any item, and any rating;
 * - by a rule: of what the user met last, the latest that fires a rule; the item that the rule
 *   concludes is next, and liked or disliked as it says.  (A1 liked: next A2, liked; A1
 *   disliked: next the spoof, liked.)  Where no rule fires:
 * - by taste: mostly of topic t and its friend, sometimes of its foe or of any topic, the
 *   first parts and the well-known sagas more often than others.
 *
 * Whether an item taken by taste is liked, a rule of its saga says if one fires; if none does,
 * mostly liked(t) & liked(friend) & !liked(foe), and of other topics the good sagas.
 *
 * Popularity and activity have long tails: a rank is drawn as an octave and then a place in
 * it, in whole numbers, so that every machine writes the same bytes.  Nothing is kept but two
 * numbers for each item. */

#include "base/array.h"
#include "base/options.h"
#include "base/output.h"
#include "base/random.h"
#include "data/generated_catalogue.h"

enum {
    RECENT = 8,      /* interactions in which a rule looks for its premise */
    MOST_TRIES = 32, /* draws by taste before a user takes any item */
    ZEALS = 30,      /* four octaves */
    LEAST_OF_USER = 5,
    FIRST_DAY = 1104537600, /* 2005-01-01, in unix time */
    DAYS = 3650,
    DAY = 86400,
    GAP_OCTAVES = 18 /* up to some three days between interactions */
};

typedef struct shop {
    nln_generated_catalogue catalogue;
    double rules, noise;
    uint64_t seed;
    int32_t *order; /* [items] a shuffle: item i has the id order[i] + 1 */
    uint32_t *met;  /* [items] 2 user + liked, of the last user who met it; users from 1 */
    size_t next;    /* index into order: where the search for any item goes on */
    nln_output *out;
} shop;

typedef struct customer {
    uint32_t number;
    size_t topic; /* the favourite */
    uint64_t time;
    size_t n;              /* interactions so far */
    size_t recent[RECENT]; /* interaction j is at j % RECENT */
    nln_random random;
} customer;

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

static uint64_t draw_gap(nln_random *r)
{
    return 1 + nln_random_below(r, (uint64_t)1 << nln_random_below(r, GAP_OCTAVES));
}

/* ---- choosing an item ---------------------------------------------------- */

static int has_met(const shop *s, const customer *c, size_t item)
{
    return s->met[item] >> 1 == c->number;
}

/* The item of a role in the saga of `item`; as large as n_items when the saga lacks it. */
static size_t of_saga(const shop *s, size_t item, int role)
{
    size_t found = item - item % NLN_SAGA_ITEMS + (size_t)role;
    return found < s->catalogue.n_items ? found : s->catalogue.n_items;
}

static int holds(const shop *s, const customer *c, size_t item, nln_generated_literal literal)
{
    size_t premise = of_saga(s, item, literal.role);
    return premise < s->catalogue.n_items &&
           s->met[premise] == 2 * c->number + (uint32_t)literal.liked;
}

static int fires(const shop *s, const customer *c, size_t item, const nln_generated_rule *rule)
{
    return holds(s, c, item, rule->when) && holds(s, c, item, rule->also);
}

/* The next item of the shuffle that the customer has not met; there must be one.  Since the
 * search goes on where it ended, every item is met sooner or later. */
static size_t any_item(shop *s, const customer *c)
{
    for (;;) {
        size_t item = (size_t)s->order[s->next];
        s->next = (s->next + 1) % s->catalogue.n_items;
        if (!has_met(s, c, item))
            return item;
    }
}

/* An item, not met before, that some rule with `item` among its premises concludes, each at
 * the same chance; n_items when there is none. */
static size_t concluded(const shop *s, customer *c, size_t item)
{
    size_t found = s->catalogue.n_items, n = 0;
    int role = (int)(item % NLN_SAGA_ITEMS);
    for (int i = 0; i < NLN_SAGA_RULES; i++) {
        const nln_generated_rule *rule = &nln_generated_rules[i];
        size_t next = of_saga(s, item, rule->then.role);
        if ((rule->when.role != role && rule->also.role != role) || !fires(s, c, item, rule))
            continue;
        if (next < s->catalogue.n_items && !has_met(s, c, next) &&
            nln_random_below(&c->random, ++n) == 0)
            found = next;
    }
    return found;
}

static size_t item_by_rule(const shop *s, customer *c)
{
    size_t found = s->catalogue.n_items;
    for (size_t back = 1; back <= RECENT && back <= c->n; back++) {
        found = concluded(s, c, c->recent[(c->n - back) % RECENT]);
        if (found < s->catalogue.n_items)
            break;
    }
    return found;
}

static size_t draw_topic(const shop *s, customer *c)
{
    switch (nln_random_below(&c->random, 8)) {
    case 0:
    case 1:
    case 2:
        return c->topic;
    case 3:
        return nln_generated_catalogue_friend(&s->catalogue, c->topic);
    case 4:
    case 5:
        return nln_generated_catalogue_foe(&s->catalogue, c->topic);
    default:
        return nln_random_below(&c->random, s->catalogue.n_topics);
    }
}

/* Of topics other than the favourite, users know the famous sagas best. */
static size_t draw_saga(const shop *s, customer *c, size_t topic)
{
    size_t n_topics = s->catalogue.n_topics;
    size_t n_sagas = (s->catalogue.n_sagas - topic + n_topics - 1) / n_topics;
    size_t rank = draw_rank(&c->random, n_sagas);
    if (topic != c->topic)
        rank = smaller(rank, draw_rank(&c->random, n_sagas));
    return rank * n_topics + topic;
}

static size_t item_by_taste(shop *s, customer *c)
{
    static const uint8_t roles[] = {
        NLN_SAGA_A1, NLN_SAGA_A1, NLN_SAGA_A1,    NLN_SAGA_A1,      NLN_SAGA_B1, NLN_SAGA_B1,
        NLN_SAGA_B1, NLN_SAGA_B1, NLN_SAGA_A2,    NLN_SAGA_A3,      NLN_SAGA_B2, NLN_SAGA_B3,
        NLN_SAGA_A2, NLN_SAGA_B2, NLN_SAGA_SPOOF, NLN_SAGA_MEETING,
    };
    const nln_generated_catalogue *shelf = &s->catalogue;
    for (int i = 0; i < MOST_TRIES; i++) {
        size_t topic = draw_topic(s, c);
        size_t saga = draw_saga(s, c, topic);
        int role = roles[nln_random_below(&c->random, sizeof roles)];
        size_t item = of_saga(s, saga * NLN_SAGA_ITEMS, role);
        if (item < shelf->n_items && !has_met(s, c, item))
            return item;
    }
    return any_item(s, c);
}

/* ---- liking it ----------------------------------------------------------- */

static int likes_by_taste(const shop *s, customer *c, size_t item)
{
    const nln_generated_catalogue *shelf = &s->catalogue;
    size_t topic = nln_generated_catalogue_topic(shelf, item);
    if (topic == c->topic || topic == nln_generated_catalogue_friend(shelf, c->topic))
        return chance(&c->random, 0.9);
    if (topic == nln_generated_catalogue_foe(shelf, c->topic))
        return chance(&c->random, 0.1);
    int good = nln_random_mix(s->seed ^ nln_random_mix(item / NLN_SAGA_ITEMS)) & 1;
    return chance(&c->random, good ? 0.8 : 0.2);
}

static int likes(const shop *s, customer *c, size_t item)
{
    for (int i = 0; i < NLN_SAGA_RULES; i++)
        if (nln_generated_rules[i].then.role == (int)(item % NLN_SAGA_ITEMS) &&
            fires(s, c, item, &nln_generated_rules[i]))
            return nln_generated_rules[i].then.liked;
    return likes_by_taste(s, c, item);
}

static int draw_rating(nln_random *r, int liked)
{
    return liked ? 4 + (int)nln_random_below(r, 2) : 1 + (int)nln_random_below(r, 3);
}

/* ---- customers ----------------------------------------------------------- */

static void add_row(shop *s, customer *c)
{
    size_t item = s->catalogue.n_items;
    int rating = 0;
    if (chance(&c->random, s->noise)) {
        item = any_item(s, c);
        rating = 1 + (int)nln_random_below(&c->random, 5);
    } else {
        if (chance(&c->random, s->rules))
            item = item_by_rule(s, c);
        if (item == s->catalogue.n_items)
            item = item_by_taste(s, c);
        rating = draw_rating(&c->random, likes(s, c, item));
    }
    s->met[item] = 2 * c->number + (rating >= 4);
    c->recent[c->n++ % RECENT] = item;
    c->time += draw_gap(&c->random);
    nln_output_printf(s->out, "u%lu,i%ld,%d,%llu\n", (unsigned long)c->number,
                      (long)s->order[item] + 1, rating, (unsigned long long)c->time);
}

static void serve(shop *s, uint32_t number, size_t n)
{
    customer c = {.number = number, .random = nln_random_seed(s->seed, number)};
    c.topic = draw_rank(&c.random, s->catalogue.n_topics);
    c.time = FIRST_DAY + nln_random_below(&c.random, (uint64_t)DAYS * DAY);
    for (size_t i = 0; i < n; i++)
        add_row(s, &c);
}

/* The product of two long tails; the same number for a user whenever it is asked for, so that
 * none is stored. */
static size_t activity(const shop *s, size_t user)
{
    nln_random r = nln_random_seed(~s->seed, user);
    size_t zeal = 1 + draw_rank(&r, ZEALS);
    return zeal * (1 + draw_rank(&r, ZEALS));
}

/* Every user has `least` rows, and of the others a share by activity.  A user who would have
 * more than `most` leaves the rest to those who follow, who can always take it. */
static void serve_all(shop *s, size_t n_users, size_t n_rows)
{
    size_t n_items = s->catalogue.n_items, mean = n_rows / n_users;
    size_t least = smaller(mean, LEAST_OF_USER);
    size_t most = smaller(larger(n_items / 2, 2 * (mean + 1)), n_items);
    double total = 0, so_far = 0, shared = (double)(n_rows - n_users * least);
    for (size_t u = 1; u <= n_users; u++)
        total += (double)activity(s, u);
    for (size_t u = 1, done = 0; u <= n_users; u++) {
        size_t after = n_users - u, rest = n_rows - done;
        so_far += (double)activity(s, u);
        size_t wanted = (size_t)(shared * (so_far / total)) + u * least;
        size_t n = smaller(wanted > done ? wanted - done : 0, most);
        n = larger(n, rest > after * most ? rest - after * most : 0);
        serve(s, (uint32_t)u, n);
        done += n;
    }
}

/* ---- the shop ------------------------------------------------------------ */

static nln_status open_shop(shop *s, const nln_options *o, nln_error *err)
{
    size_t n = (size_t)nln_options_number(o, "items");
    s->catalogue = nln_generated_catalogue_of(n);
    s->rules = nln_options_number(o, "rules");
    s->noise = nln_options_number(o, "noise");
    s->seed = (uint64_t)nln_options_number(o, "seed");
    s->order = nln_array_zeroed(n, sizeof *s->order);
    s->met = nln_array_zeroed(n, sizeof *s->met);
    if (!s->order || !s->met)
        return nln_error_memory(err);
    nln_random random = nln_random_seed(s->seed, 0);
    for (size_t i = 0; i < n; i++)
        s->order[i] = (int32_t)i;
    nln_random_shuffle(&random, s->order, (int32_t)n);
    return NLN_OK;
}

static nln_status write_titles(const shop *s, const char *path, nln_error *err)
{
    nln_output *out = NULL;
    nln_status status = nln_output_open(&out, path, err);
    if (status)
        return status;
    for (size_t i = 0; i < s->catalogue.n_items; i++) {
        char title[NLN_TITLE_ROOM];
        nln_generated_catalogue_title(title, &s->catalogue, i);
        nln_output_printf(out, "i%ld\t%s\n", (long)s->order[i] + 1, title);
    }
    return nln_output_finish(out, err);
}

static nln_status check_counts(const nln_options *o, nln_error *err)
{
    double users = nln_options_number(o, "users"), items = nln_options_number(o, "items");
    double ratings = nln_options_number(o, "ratings");
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
    return NLN_OK;
}

nln_status nln_ratings_generate(const char *path, const char *titles, const nln_options *o,
                                nln_error *err)
{
    shop s = {0};
    nln_status status = nln_options_check(o, "generate ratings", err);
    if (!status)
        status = check_counts(o, err);
    if (!status)
        status = open_shop(&s, o, err);
    if (!status)
        status = nln_output_open(&s.out, path, err);
    if (!status && titles)
        status = write_titles(&s, titles, err);
    if (!status) {
        nln_output_printf(s.out, "user,item,rating,time\n");
        serve_all(&s, (size_t)nln_options_number(o, "users"),
                  (size_t)nln_options_number(o, "ratings"));
        status = nln_output_finish(s.out, err);
    } else {
        nln_output_abandon(s.out);
    }
    nln_free(s.order);
    nln_free(s.met);
    return status;
}
