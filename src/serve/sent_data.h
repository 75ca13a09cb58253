/* Data that were sent as text, to be trained on and looked at. */
#ifndef NLN_SERVE_SENT_DATA_H
#define NLN_SERVE_SENT_DATA_H

#include "base/error.h"
#include "nln.h"

/* Ratings, in any format that a file may have. */
nln_status nln_sent_ratings(nln_ratings **out, const char *text, nln_error *err);
/* Lines of an expression, a tab and T or F: eight in ten train, one validates, one tests.  Cuts the
 * text into lines. */
nln_status nln_sent_expressions(nln_data **out, char *text, nln_error *err);

#endif
