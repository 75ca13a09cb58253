#define NLN_KERNELS       nln_kernels_avx512
#define NLN_KERNELS_NAME  "avx512"
#define NLN_KERNELS_BYTES 64
#include "math/kernels.inc"
