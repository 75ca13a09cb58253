#include "base/random.h"

#include <math.h>

nln_random nln_random_seed(uint64_t seed, uint64_t stream)
{
    nln_random r;
    uint64_t x = nln_random_mix(seed) ^ nln_random_mix(~stream);
    for (int i = 0; i < 4; i++)
        r.state[i] = nln_random_mix(x += 0x9e3779b97f4a7c15u);
    return r;
}

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t nln_random_next(nln_random *r)
{
    uint64_t *s = r->state;
    uint64_t result = rotate(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t nln_random_below(nln_random *r, uint64_t bound)
{
    uint64_t reject = (0 - bound) % bound; /* 2^64 mod bound */
    for (;;) {
        uint64_t x = nln_random_next(r);
        if (x >= reject)
            return x % bound;
    }
}

double nln_random_uniform(nln_random *r)
{
    return (double)(nln_random_next(r) >> 11) * 0x1p-53;
}

double nln_random_normal(nln_random *r)
{
    /* Box-Muller; the second number is dropped so that the state is only the
     * four words. */
    double u = 1.0 - nln_random_uniform(r);
    double v = nln_random_uniform(r);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

void nln_random_shuffle(nln_random *r, int32_t *items, int32_t n)
{
    for (int32_t i = n - 1; i > 0; i--) {
        int32_t j = (int32_t)nln_random_below(r, (uint64_t)i + 1);
        int32_t t = items[i];
        items[i] = items[j];
        items[j] = t;
    }
}
