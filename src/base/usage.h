/* What this process has used. */
#ifndef NLN_BASE_USAGE_H
#define NLN_BASE_USAGE_H

#include <stddef.h>

/* The most memory it has had so far, in bytes. */
size_t nln_usage_peak_rss(void);

#endif
