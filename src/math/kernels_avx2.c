#define NLN_KERNELS       nln_kernels_avx2
#define NLN_KERNELS_NAME  "avx2"
#define NLN_KERNELS_BYTES 32
#include "math/kernels.inc"
