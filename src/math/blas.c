#include "math/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/kernels.h"

/* The numbers of the CBLAS standard. */
enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };

#ifdef NLN_DOUBLE
#define GEMM_SYMBOL "cblas_dgemm"
#else
#define GEMM_SYMBOL "cblas_sgemm"
#endif

typedef void gemm_function(int order, int trans_a, int trans_b, int m, int n, int k, real alpha,
                           const real *A, int lda, const real *B, int ldb, real beta, real *C,
                           int ldc);

static struct {
    pthread_once_t once;
    void *library;
    gemm_function *gemm; /* NULL: the plain loops run */
    char name[64];
    char missed[64]; /* the kernel of nln_blas_missed, or "" */
} blas = {.once = PTHREAD_ONCE_INIT};

/* The OpenBLAS kernel this processor can run, NULL to let it choose. */
static const char *kernel(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "Haswell";
#endif
    return NULL;
}

/* Sets a pointer to a function of the library, NULL if there is none.  ISO C has no conversion from
 * an object pointer to a function pointer; POSIX guarantees it for dlsym. */
static void bind_function(void *function, const char *name)
{
    *(void **)function = blas.library ? dlsym(blas.library, name) : NULL;
}

/* Tried twice, as the opening of a library below: memory that is short for a moment is no reason to
 * compute with another library, or with slower kernels that round differently. */
static void set_environment(const char *name, const char *value)
{
    if (setenv(name, value, 1))
        setenv(name, value, 1);
}

/* Keeps the kernel that was wanted of an OpenBLAS that was loaded before, if it has another one and
 * could have had this one. */
static void compare_kernels(const char *wanted)
{
    char *(*core)(void) = NULL, *(*config)(void) = NULL;
    bind_function(&core, "openblas_get_corename");
    bind_function(&config, "openblas_get_config");
    if (core && config && strstr(config(), "DYNAMIC_ARCH") && strcasecmp(core(), wanted) != 0)
        snprintf(blas.missed, sizeof blas.missed, "%s", wanted);
}

static void find_library(void)
{
    static const char *const candidates[] = {"libopenblas.so.0", "libblis.so.4", "libblas.so.3"};
    const char *wanted = getenv("OPENBLAS_CORETYPE") ? NULL : kernel();
    const char *threads = getenv("OPENBLAS_NUM_THREADS");
    void (*set_threads)(int) = NULL;
    char *(*core)(void) = NULL;
    void *before = dlopen(candidates[0], RTLD_NOLOAD | RTLD_LAZY);
    if (wanted)
        set_environment("OPENBLAS_CORETYPE", wanted);
    if (!threads)
        set_environment("OPENBLAS_NUM_THREADS", "1");
    for (size_t i = 0; !blas.gemm && i < sizeof candidates / sizeof *candidates; i++) {
        blas.library = dlopen(candidates[i], RTLD_NOW | RTLD_LOCAL);
        if (!blas.library)
            blas.library = dlopen(candidates[i], RTLD_NOW | RTLD_LOCAL);
        bind_function(&blas.gemm, GEMM_SYMBOL);
    }
    if (wanted)
        unsetenv("OPENBLAS_CORETYPE");
    if (!threads)
        unsetenv("OPENBLAS_NUM_THREADS");
    bind_function(&set_threads, "openblas_set_num_threads");
    bind_function(&core, "openblas_get_corename");
    if (set_threads)
        set_threads(1);
    if (core)
        snprintf(blas.name, sizeof blas.name, "OpenBLAS %s", core());
    else
        snprintf(blas.name, sizeof blas.name, "%s", blas.gemm ? "CBLAS" : "plain loops");
    if (wanted && before)
        compare_kernels(wanted);
    if (before)
        dlclose(before);
}

static gemm_function *gemm(void)
{
    pthread_once(&blas.once, find_library);
    return blas.gemm;
}

void nln_blas_find(void *function, const char *name)
{
    gemm();
    bind_function(function, name);
}

const char *nln_blas_name(void)
{
    gemm();
    return blas.name;
}

const char *nln_blas_missed(const char **in_use)
{
    gemm();
    if (in_use)
        *in_use = blas.name;
    return *blas.missed ? blas.missed : NULL;
}

/* OpenBLAS takes its small-matrix kernels up to this many multiplications. */
#define SMALL 1000000

static int piece(int a, int b)
{
    long each = (long)a * b, rows = SMALL / (each ? each : 1);
    return rows < 8 ? 1 << 30 : (int)(rows / 8 * 8);
}

static void nn(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m, int n,
               int k, real beta)
{
    gemm_function *f = gemm();
    if (!f) {
        nln_blas_plain_nn(C, ldc, A, lda, B, ldb, m, n, k, beta);
        return;
    }
    int step = piece(n, k);
    for (int i = 0; i < m; i += step) {
        int rows = m - i < step ? m - i : step;
        f(ROW_MAJOR, PLAIN, PLAIN, rows, n, k, 1, A + (size_t)i * (size_t)lda, lda, B, ldb, beta,
          C + (size_t)i * (size_t)ldc, ldc);
    }
}

void nln_blas_nn(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m, int n,
                 int k)
{
    nn(C, ldc, A, lda, B, ldb, m, n, k, 0);
}

void nln_blas_nn_add(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m, int n,
                     int k)
{
    nn(C, ldc, A, lda, B, ldb, m, n, k, 1);
}

static void tn(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m, int n,
               int k, real beta)
{
    gemm_function *f = gemm();
    if (!f) {
        nln_blas_plain_tn(C, ldc, A, lda, B, ldb, m, n, k, beta);
        return;
    }
    int step = piece(m, n), i = 0;
    do {
        int rows = k - i < step ? k - i : step;
        f(ROW_MAJOR, TRANSPOSED, PLAIN, m, n, rows, 1, A + (size_t)i * (size_t)lda, lda,
          B + (size_t)i * (size_t)ldb, ldb, i ? 1 : beta, C, ldc);
        i += rows;
    } while (i < k);
}

void nln_blas_tn(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m, int n,
                 int k)
{
    tn(C, ldc, A, lda, B, ldb, m, n, k, 0);
}

void nln_blas_tn_add(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m, int n,
                     int k)
{
    tn(C, ldc, A, lda, B, ldb, m, n, k, 1);
}

/* Kernels whose own products are as fast as the library's, if there is one; else NULL. */
static const nln_kernels *skipping(void)
{
    const nln_kernels *k = nln_kernels_get();
    return k->wide || !gemm() ? k : NULL;
}

/* `used` of m x k numbers were multiplied, with n others each. */
static void count_skipped(double *skipped_flop, int m, int k, size_t used, int n)
{
    if (skipped_flop)
        *skipped_flop += 2.0 * n * ((double)m * k - (double)used);
}

static void nn_skip(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m, int n,
                    int k, int add, double *skipped_flop)
{
    const nln_kernels *own = skipping();
    if (own)
        count_skipped(skipped_flop, m, k, own->nn_skip(C, ldc, A, lda, B, ldb, m, n, k, add), n);
    else
        nn(C, ldc, A, lda, B, ldb, m, n, k, (real)add);
}

void nln_blas_nn_skip(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m,
                      int n, int k, double *skipped_flop)
{
    nn_skip(C, ldc, A, lda, B, ldb, m, n, k, 0, skipped_flop);
}

void nln_blas_nn_skip_add(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m,
                          int n, int k, double *skipped_flop)
{
    nn_skip(C, ldc, A, lda, B, ldb, m, n, k, 1, skipped_flop);
}

void nln_blas_tn_skip_add(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m,
                          int n, int k, double *skipped_flop)
{
    const nln_kernels *own = skipping();
    if (own)
        count_skipped(skipped_flop, m, k, own->tn_skip(C, ldc, A, lda, B, ldb, m, n, k), n);
    else
        tn(C, ldc, A, lda, B, ldb, m, n, k, 1);
}

/* The upper half of the rows whole, of the lower half only the square on the diagonal: 3/4 of the
 * work.  Smaller pieces are slower for each number. */
void nln_blas_symmetric_add(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int n,
                            int k)
{
    int half = n / 2;
    nln_blas_tn_add(C, ldc, A, lda, B, ldb, half, n, k);
    nln_blas_tn_add(C + (size_t)half * (size_t)ldc + half, ldc, A + half, lda, B + half, ldb,
                    n - half, n - half, k);
}

void nln_blas_mirror(real *C, int ldc, int n)
{
    int half = n / 2;
    for (int i = half; i < n; i++)
        for (int j = 0; j < half; j++)
            C[(size_t)i * (size_t)ldc + (size_t)j] = C[(size_t)j * (size_t)ldc + (size_t)i];
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double nln_blas_speed(void)
{
    enum { M = 2048, N = 64, K = 128, CALLS = 50, ROUNDS = 10 };
    const double enough = 0.1; /* seconds of a round, on a machine that is slow */
    gemm_function *f = gemm();
    real *A = nln_array_zeroed((size_t)M * K, sizeof *A);
    real *B = nln_array_zeroed((size_t)K * N, sizeof *B);
    real *C = nln_array_zeroed((size_t)M * N, sizeof *C);
    double best = 0;
    for (int round = 0; f && A && B && C && round < ROUNDS; round++) {
        double start = now(), seconds = 0;
        int n = 0;
        for (; n < CALLS && seconds < enough; n++) {
            f(ROW_MAJOR, PLAIN, PLAIN, M, N, K, 1, A, K, B, N, 0, C, N);
            seconds = now() - start;
        }
        double flops = 2.0 * M * N * K * n / seconds;
        best = flops > best ? flops : best;
    }
    nln_free(A);
    nln_free(B);
    nln_free(C);
    return best;
}

/* C = A B + beta C, where element (i, l) of A is A[i * row + l * column]. */
static void plain(real *C, int ldc, const real *A, size_t row, size_t column, const real *B,
                  int ldb, int m, int n, int k, real beta)
{
    for (int i = 0; i < m; i++, C += ldc) {
        for (int j = 0; j < n; j++)
            C[j] = beta == 0 ? 0 : beta * C[j];
        for (int l = 0; l < k; l++) {
            real a = A[(size_t)i * row + (size_t)l * column];
            const real *b = B + (size_t)l * (size_t)ldb;
            for (int j = 0; j < n; j++)
                C[j] += a * b[j];
        }
    }
}

void nln_blas_plain_nn(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m,
                       int n, int k, real beta)
{
    plain(C, ldc, A, (size_t)lda, 1, B, ldb, m, n, k, beta);
}

void nln_blas_plain_tn(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m,
                       int n, int k, real beta)
{
    plain(C, ldc, A, 1, (size_t)lda, B, ldb, m, n, k, beta);
}
