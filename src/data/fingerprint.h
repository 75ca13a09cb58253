/* A number that tells sets of data apart. */
#ifndef NLN_DATA_FINGERPRINT_H
#define NLN_DATA_FINGERPRINT_H

#include "data/logic_data.h"
#include "data/ratings.h"

/* The same for the same examples in the same order; the names of variables, items and users are
 * not looked at. */
uint64_t nln_fingerprint_data(const nln_data *data);
uint64_t nln_fingerprint_ratings(const nln_ratings *ratings);

#endif
