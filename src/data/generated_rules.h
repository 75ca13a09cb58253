/* The items of generated ratings, and the rules that hold among them.
 *
 * Items are numbers 0 .. n_items - 1.  Eight in a row are a franchise, and have these roles in
 * it: two series of three parts (A1 A2 A3 and B1 B2 B3), a crossover of both, and a parody of the
 * first.  The rules of every franchise, where a name means that a user liked the item:
 *
 *     A1 -> A2    A2 -> A3    B1 -> B2    B2 -> B3
 *     A1 & B1 -> CROSSOVER    A1 -> !PARODY     !A1 -> PARODY
 *
 * A franchise has a topic.  The topics stand in a ring, and rules hold among them, too: a user
 * who likes topic t likes the similar topic t + 1, and dislikes the opposite topic half a ring
 * away. */
#ifndef NLN_DATA_GENERATED_RULES_H
#define NLN_DATA_GENERATED_RULES_H

#include <stddef.h>

enum {
    NLN_FRANCHISE_A1,
    NLN_FRANCHISE_A2,
    NLN_FRANCHISE_A3,
    NLN_FRANCHISE_B1,
    NLN_FRANCHISE_B2,
    NLN_FRANCHISE_B3,
    NLN_FRANCHISE_CROSSOVER,
    NLN_FRANCHISE_PARODY,
    NLN_FRANCHISE_ITEMS
};

typedef struct nln_generated_items {
    size_t n_items, n_franchises; /* the last may lack roles */
    size_t n_topics;              /* franchise s has topic s % n_topics */
} nln_generated_items;

/* A literal of a rule: the item of this role is liked, or disliked. */
typedef struct nln_generated_literal {
    int role, liked;
} nln_generated_literal;

/* when & also -> then; `also` equals `when` if the rule has one premise. */
typedef struct nln_generated_rule {
    nln_generated_literal when, also, then;
} nln_generated_rule;

enum { NLN_FRANCHISE_RULES = 7 };
extern const nln_generated_rule nln_generated_rules[NLN_FRANCHISE_RULES];

nln_generated_items nln_generated_items_create(size_t n_items);

static inline size_t nln_generated_items_topic(const nln_generated_items *c, size_t item)
{
    return item / NLN_FRANCHISE_ITEMS % c->n_topics;
}
static inline size_t nln_generated_items_similar(const nln_generated_items *c, size_t topic)
{
    return (topic + 1) % c->n_topics;
}
static inline size_t nln_generated_items_opposite(const nln_generated_items *c, size_t topic)
{
    return (topic + c->n_topics / 2) % c->n_topics;
}

/* Writes the title, such as "The Silent Harbour II (sea)"; no two items have the same.  It
 * ends in a NUL, and NLN_TITLE_ROOM bytes are enough. */
enum { NLN_TITLE_ROOM = 256 };
void nln_generated_items_title(char *title, const nln_generated_items *c, size_t item);

#endif
