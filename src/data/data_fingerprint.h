/* A number that differs for different data sets. */
#ifndef NLN_DATA_DATA_FINGERPRINT_H
#define NLN_DATA_DATA_FINGERPRINT_H

#include "data/logic_data.h"
#include "data/ratings.h"

/* Equal for the same examples in the same order; the names of variables, items and users do not
 * matter. */
uint64_t nln_data_fingerprint_logic(const nln_data *data);
uint64_t nln_data_fingerprint_ratings(const nln_ratings *ratings);

#endif
