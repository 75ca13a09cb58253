#include "data/split.h"

const char *nln_split_name(nln_split split)
{
    static const char *const names[] = {"train", "valid", "test"};
    return nln_split_exists(split) ? names[split] : "no split";
}

nln_status nln_split_check(nln_split split, nln_error *err)
{
    if (nln_split_exists(split))
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID,
                         "there is no split %d; give NLN_TRAIN, NLN_VALID or NLN_TEST", (int)split);
}
