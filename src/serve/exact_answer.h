/* What exact reasoning says of an expression beside the network: belief propagation and a SAT
 * solver on the data that the model learned from.
 *
 * Both are asked once for a model, on a thread of its own, since a solver may take long. */
#ifndef NLN_SERVE_EXACT_ANSWER_H
#define NLN_SERVE_EXACT_ANSWER_H

#include "serve/json_out.h"
#include "serve/served_model.h"

/* Writes the member "exact": {"status": "computing"}; or "done" with the posterior probability of
 * the expression and its value under one assignment that satisfies every training label, null if
 * there is none; or "failed" with the reason.  `folder` has the data. */
void nln_exact_answer_print(nln_text *t, nln_served *served, const char *folder,
                            const char *expression);

#endif
