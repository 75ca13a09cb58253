#include "base/usage.h"

#include <sys/resource.h>

size_t nln_usage_peak_rss(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss * 1024; /* Linux counts in KiB */
}
