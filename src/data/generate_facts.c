/* nln_triples_generate of nln.h: triples in which planted rules hold.
 *
 * A family is a couple with two or three children; each child marries and has one to three
 * children of its own.  Facts are read as `father(x, y)`: the father of x is y.
 *
 *     father(x, z) & father(z, y) -> grandfather(x, y)      the same through mother(x, z)
 *     father(x, z) & mother(z, y) -> grandmother(x, y)      the same through mother(x, z)
 *     father(x, z) & brother(z, y) -> uncle(x, y)           the same through mother(x, z)
 *     father(x, z) & sister(z, y) -> aunt(x, y)             the same through mother(x, z)
 *     married(x, y) -> married(y, x)
 *
 * A graph has people, cities and countries.  Popular people are met often: people are drawn with a
 * preference for the first.
 *
 *     knows(x, y) -> knows(y, x)
 *     reports_to(x, y) -> manages(y, x)
 *     teaches(x, y) -> meets(x, y)
 *     lives_in(x, z) & located_in(z, y) -> citizen_of(x, y)
 */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/options.h"
#include "base/random.h"
#include "data/triples.h"

enum { FATHER, MOTHER, MARRIED, BROTHER, SISTER, GRANDFATHER, GRANDMOTHER, UNCLE, AUNT };
enum { KNOWS, REPORTS_TO, MANAGES, TEACHES, MEETS, LIVES_IN, LOCATED_IN, CITIZEN_OF };

static const char *const family_names[] = {"father",      "mother", "married",
                                           "brother",     "sister", "grandfather",
                                           "grandmother", "uncle",  "aunt"};
static const char *const graph_names[] = {"knows", "reports_to", "manages",    "teaches",
                                          "meets", "lives_in",   "located_in", "citizen_of"};

/* What is written, and what is in it already. */
typedef struct writer {
    nln_output *out;
    nln_random random;
    const char *const *names;
    size_t n, wanted;
    size_t n_people, n_cities, n_countries; /* people are numbered first, then cities, countries */
    size_t n_met;                           /* of the people, so far */
    double noise;
    uint64_t *slots; /* hash set with open addressing: key + 1, 0 is free */
    size_t n_slots;  /* a power of two */
} writer;

static int is_new(writer *w, int relation, size_t head, size_t tail)
{
    uint64_t key = 1 + (((uint64_t)head << 28 | tail) << 4 | (uint64_t)relation);
    size_t at = (size_t)((key * 0x9e3779b97f4a7c15U) >> 20) & (w->n_slots - 1);
    while (w->slots[at] && w->slots[at] != key)
        at = (at + 1) & (w->n_slots - 1);
    if (w->slots[at])
        return 0;
    w->slots[at] = key;
    return 1;
}

static void put_entity(const writer *w, size_t e)
{
    size_t cities = w->n_people + w->n_cities;
    if (e < w->n_people)
        nln_output_printf(w->out, "person%zu", e + 1);
    else if (e < cities)
        nln_output_printf(w->out, "city%zu", e - w->n_people + 1);
    else
        nln_output_printf(w->out, "country%zu", e - cities + 1);
}

/* One fact, unless it is there already or there are enough; the share `noise` has another tail of
 * the same kind. */
static void put(writer *w, int relation, size_t head, size_t tail)
{
    if (w->n == w->wanted)
        return;
    if (w->noise > 0 && nln_random_uniform(&w->random) < w->noise) {
        size_t cities = w->n_people + w->n_cities;
        if (tail < w->n_people)
            tail = (size_t)nln_random_below(&w->random, w->n_met);
        else if (tail < cities)
            tail = w->n_people + (size_t)nln_random_below(&w->random, w->n_cities);
        else
            tail = cities + (size_t)nln_random_below(&w->random, w->n_countries);
    }
    if (!is_new(w, relation, head, tail))
        return;
    put_entity(w, head);
    nln_output_printf(w->out, "\t%s\t", w->names[relation]);
    put_entity(w, tail);
    nln_output_printf(w->out, "\n");
    w->n++;
}

/* ---- families ----------------------------------------------------------------------------------
 */

enum { MOST_CHILDREN = 3, MOST_PERSONS = 2 + 2 * MOST_CHILDREN + MOST_CHILDREN * MOST_CHILDREN };

typedef struct family {
    size_t first;                          /* the number of its first person, the grandfather */
    int n_children, is_man[MOST_CHILDREN]; /* the second generation ... */
    size_t child[MOST_CHILDREN], partner[MOST_CHILDREN];
} family;

static void put_couple(writer *w, size_t a, size_t b)
{
    put(w, MARRIED, a, b);
    put(w, MARRIED, b, a);
}

/* What holds for a child of child i of the family. */
static void put_grandchild(writer *w, const family *f, int i, size_t who)
{
    put(w, FATHER, who, f->is_man[i] ? f->child[i] : f->partner[i]);
    put(w, MOTHER, who, f->is_man[i] ? f->partner[i] : f->child[i]);
    put(w, GRANDFATHER, who, f->first);
    put(w, GRANDMOTHER, who, f->first + 1);
    for (int k = 0; k < f->n_children; k++)
        if (k != i)
            put(w, f->is_man[k] ? UNCLE : AUNT, who, f->child[k]);
}

/* Returns the number of the next person. */
static size_t put_family(writer *w, size_t first)
{
    family f = {.first = first, .n_children = 2 + (int)nln_random_below(&w->random, 2)};
    size_t next = first + 2;
    put_couple(w, first, first + 1);
    for (int i = 0; i < f.n_children; i++) {
        f.is_man[i] = (int)nln_random_below(&w->random, 2);
        f.child[i] = next++;
        f.partner[i] = next++;
        put(w, FATHER, f.child[i], first);
        put(w, MOTHER, f.child[i], first + 1);
        put_couple(w, f.child[i], f.partner[i]);
    }
    for (int i = 0; i < f.n_children; i++) {
        for (int k = 0; k < f.n_children; k++)
            if (k != i)
                put(w, f.is_man[k] ? BROTHER : SISTER, f.child[i], f.child[k]);
        for (int n = 1 + (int)nln_random_below(&w->random, MOST_CHILDREN); n > 0; n--)
            put_grandchild(w, &f, i, next++);
    }
    return next;
}

static void put_families(writer *w)
{
    for (size_t next = 0; w->n < w->wanted;) {
        w->n_met = next + 2;
        next = put_family(w, next);
    }
}

/* ---- graphs ------------------------------------------------------------------------------------
 */

/* The first are drawn more often: by the product of two draws. */
static size_t draw_person(writer *w)
{
    double x = nln_random_uniform(&w->random) * nln_random_uniform(&w->random);
    return (size_t)(x * (double)w->n_people);
}

static void put_graph(writer *w)
{
    for (size_t c = 0; c < w->n_cities; c++)
        put(w, LOCATED_IN, w->n_people + c, w->n_people + w->n_cities + c % w->n_countries);
    while (w->n < w->wanted) {
        size_t x = draw_person(w), y = draw_person(w);
        size_t c = x * 7919 % w->n_cities; /* everybody has one */
        switch (nln_random_below(&w->random, 4)) {
        case 0:
            put(w, KNOWS, x, y);
            put(w, KNOWS, y, x);
            break;
        case 1:
            put(w, REPORTS_TO, x, y);
            put(w, MANAGES, y, x);
            break;
        case 2:
            put(w, TEACHES, x, y);
            put(w, MEETS, x, y);
            break;
        default:
            put(w, LIVES_IN, x, w->n_people + c);
            put(w, CITIZEN_OF, x, w->n_people + w->n_cities + c % w->n_countries);
        }
    }
}

/* ---- files -------------------------------------------------------------------------------------
 */

static nln_status writer_create(writer *w, const nln_options *o, int is_graph, nln_error *err)
{
    size_t n = (size_t)nln_options_number(o, "triples"), people = n / 8 + 10;
    *w = (writer){.random = nln_random_seed((uint64_t)nln_options_number(o, "seed"), 1),
                  .names = is_graph ? graph_names : family_names,
                  .wanted = n,
                  .n_people = is_graph ? people : n + MOST_PERSONS,
                  .n_met = people,
                  .n_cities = is_graph ? people / 50 + 2 : 0,
                  .n_countries = is_graph ? people / 1000 + 2 : 0,
                  .noise = nln_options_number(o, "noise")};
    for (w->n_slots = 16; w->n_slots < 2 * n; w->n_slots *= 2)
        ;
    w->slots = nln_array_zeroed(w->n_slots, sizeof *w->slots);
    return w->slots ? NLN_OK : nln_error_memory(err);
}

nln_status nln_triples_generate(const char *path, const nln_options *options, nln_error *err)
{
    nln_options *own = NULL;
    writer w = {0};
    nln_status status = options ? nln_options_check(options, "generate facts", err)
                                : nln_options_create(&own, "generate facts", err);
    const nln_options *o = options ? options : own;
    int is_graph = !status && strcmp(nln_options_text(o, "kind"), "graph") == 0;
    if (!status)
        status = writer_create(&w, o, is_graph, err);
    if (!status)
        status = nln_output_open(&w.out, path, err);
    if (!status) {
        if (is_graph)
            put_graph(&w);
        else
            put_families(&w);
        status = nln_output_finish(w.out, err);
    }
    nln_free(w.slots);
    nln_options_free(own);
    return status;
}
