#define NLN_KERNELS       nln_kernels_plain
#define NLN_KERNELS_NAME  "plain"
#define NLN_KERNELS_BYTES 16
#include "math/kernels.inc"
