/* Reading titles from an open file. */
#ifndef NLN_DATA_TITLES_H
#define NLN_DATA_TITLES_H

#include "base/input.h"

/* nln_titles_read from an open file, which stays open. */
nln_status nln_titles_scan(nln_titles **out, nln_input *in, nln_error *err);

#endif
