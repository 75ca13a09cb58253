/* The three splits of a data set, as callers name them. */
#ifndef NLN_DATA_SPLIT_H
#define NLN_DATA_SPLIT_H

#include "base/error.h"

/* A caller may pass any number as an nln_split: only those of the enum index arrays. */
static inline int nln_split_exists(nln_split split)
{
    return (unsigned)split <= NLN_TEST;
}

/* "train", "valid" or "test". */
const char *nln_split_name(nln_split split);
/* NLN_INVALID for what is no split. */
nln_status nln_split_check(nln_split split, nln_error *err);

#endif
