/* The catalogue of a made-up shop: what its items are, and which rules hold among them.
 *
 * Items are numbers 0 .. n_items - 1.  Eight in a row are a saga, and play these roles in it:
 * two series of three parts (A1 A2 A3 and B1 B2 B3), a meeting of both, and a spoof of the
 * first.  The rules of every saga, where a name means that a user liked the item:
 *
 *     A1 -> A2    A2 -> A3    B1 -> B2    B2 -> B3
 *     A1 & B1 -> MEETING      A1 -> !SPOOF      !A1 -> SPOOF
 *
 * A saga has a topic.  The topics stand in a ring, and rules hold among them, too: who likes
 * topic t likes its friend t + 1, and dislikes its foe half a ring away. */
#ifndef NLN_DATA_GENERATED_CATALOGUE_H
#define NLN_DATA_GENERATED_CATALOGUE_H

#include <stddef.h>

enum {
    NLN_SAGA_A1,
    NLN_SAGA_A2,
    NLN_SAGA_A3,
    NLN_SAGA_B1,
    NLN_SAGA_B2,
    NLN_SAGA_B3,
    NLN_SAGA_MEETING,
    NLN_SAGA_SPOOF,
    NLN_SAGA_ITEMS
};

typedef struct nln_generated_catalogue {
    size_t n_items, n_sagas; /* the last saga may lack roles */
    size_t n_topics;         /* saga s has topic s % n_topics, and is its s / n_topics-th */
} nln_generated_catalogue;

/* A literal of a rule: the item of this role is liked, or disliked. */
typedef struct nln_generated_literal {
    int role, liked;
} nln_generated_literal;

/* when & also -> then; `also` equals `when` where a rule has one premise. */
typedef struct nln_generated_rule {
    nln_generated_literal when, also, then;
} nln_generated_rule;

enum { NLN_SAGA_RULES = 7 };
extern const nln_generated_rule nln_generated_rules[NLN_SAGA_RULES];

nln_generated_catalogue nln_generated_catalogue_of(size_t n_items);

static inline size_t nln_generated_catalogue_topic(const nln_generated_catalogue *c, size_t item)
{
    return item / NLN_SAGA_ITEMS % c->n_topics;
}
static inline size_t nln_generated_catalogue_friend(const nln_generated_catalogue *c, size_t topic)
{
    return (topic + 1) % c->n_topics;
}
static inline size_t nln_generated_catalogue_foe(const nln_generated_catalogue *c, size_t topic)
{
    return (topic + c->n_topics / 2) % c->n_topics;
}

/* Writes the title, such as "The Silent Harbour II (sea)"; no two items have the same.  It
 * ends in a NUL, and NLN_TITLE_ROOM bytes are enough. */
enum { NLN_TITLE_ROOM = 256 };
void nln_generated_catalogue_title(char *title, const nln_generated_catalogue *c, size_t item);

#endif
