#include "math/kernels.h"

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

const nln_kernels *nln_kernels_get(void)
{
    const nln_kernels *all[3] = {0};
    return all[nln_kernels_all(all) - 1];
}
