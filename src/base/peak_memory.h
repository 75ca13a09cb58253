/* What this process has used. */
#ifndef NLN_BASE_PEAK_MEMORY_H
#define NLN_BASE_PEAK_MEMORY_H

#include <stddef.h>

/* The most memory it has had so far, in bytes. */
size_t nln_peak_memory(void);

#endif
