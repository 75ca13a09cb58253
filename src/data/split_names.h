/* The names of the three splits of a data set. */
#ifndef NLN_DATA_SPLIT_NAMES_H
#define NLN_DATA_SPLIT_NAMES_H

#include "base/error.h"

/* A caller may pass any number as an nln_split: only those of the enum index arrays. */
static inline int nln_split_exists(nln_split split)
{
    return (unsigned)split <= NLN_TEST;
}

/* "train", "valid" or "test". */
static inline const char *nln_split_name(nln_split split)
{
    static const char *const names[] = {"train", "valid", "test"};
    return nln_split_exists(split) ? names[split] : "no split";
}
/* NLN_INVALID for any other number. */
static inline nln_status nln_split_check(nln_split split, nln_error *err)
{
    return nln_split_exists(split)
               ? NLN_OK
               : nln_error_set(err, NLN_INVALID,
                               "there is no split %d; give NLN_TRAIN, NLN_VALID or NLN_TEST",
                               (int)split);
}

#endif
