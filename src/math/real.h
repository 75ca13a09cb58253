/* The one floating type of the network.  The product computes in float; the
 * gradient tests compile the same files with double. */
#ifndef NLN_MATH_REAL_H
#define NLN_MATH_REAL_H

#ifdef NLN_DOUBLE
typedef double real;
#define NLN_REAL(x) x
#else
typedef float real;
#define NLN_REAL(x) x##f
#endif

#endif
