/* Random numbers: xoshiro256++ seeded through splitmix64.
 *
 * A stream is a value of 32 bytes: copying it copies the state, and the same
 * seed gives the same numbers on every machine. */
#ifndef NLN_BASE_RANDOM_H
#define NLN_BASE_RANDOM_H

#include <stdint.h>

typedef struct nln_random {
    uint64_t state[4];
} nln_random;

/* Streams of one seed that differ in `stream` are independent. */
nln_random nln_random_seed(uint64_t seed, uint64_t stream);
uint64_t nln_random_next(nln_random *r);
/* Uniform in 0 .. bound-1, without bias; bound > 0. */
uint64_t nln_random_below(nln_random *r, uint64_t bound);
/* Uniform in [0, 1). */
double nln_random_uniform(nln_random *r);
/* Standard normal. */
double nln_random_normal(nln_random *r);
void nln_random_shuffle(nln_random *r, int32_t *items, int32_t n);

/* A mixing function: one well-spread 64-bit number for each argument. */
static inline uint64_t nln_random_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

#endif
