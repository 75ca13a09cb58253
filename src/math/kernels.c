#include "math/kernels.h"

#include <stdatomic.h>

extern const nln_kernels nln_kernels_plain;
#if defined(__x86_64__)
extern const nln_kernels nln_kernels_avx2, nln_kernels_avx512;
#endif

int nln_kernels_all(const nln_kernels *out[3])
{
    int n = 0;
    out[n++] = &nln_kernels_plain;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        out[n++] = &nln_kernels_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        out[n++] = &nln_kernels_avx512;
#endif
    return n;
}

/* All threads find the same. */
const nln_kernels *nln_kernels_get(void)
{
    static const nln_kernels *_Atomic best;
    const nln_kernels *found = atomic_load_explicit(&best, memory_order_relaxed);
    if (!found) {
        const nln_kernels *all[3] = {0};
        found = all[nln_kernels_all(all) - 1];
        atomic_store_explicit(&best, found, memory_order_relaxed);
    }
    return found;
}
