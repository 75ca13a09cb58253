/* How a model came about, as its file tells: see nln_record in nln.h.  In the file it is a JSON
 * object. */
#ifndef NLN_MODELS_TRAINING_RECORD_H
#define NLN_MODELS_TRAINING_RECORD_H

#include "base/error.h"
#include "nln.h"

/* One that knows nothing. */
nln_record nln_training_record_none(void);
/* Adds what was measured: a row for each metric of the task of the model (labels, ranks or links),
 * where one of both was. */
void nln_training_record_measure(nln_record *record, const nln_metrics *valid,
                                 const nln_metrics *test);

/* As text, which the caller frees with nln_free; NULL when out of memory. */
char *nln_training_record_print(const nln_record *record);
/* And back.  NLN_FORMAT for a text that is no record: members that are not known are skipped, as a
 * later version may have more. */
nln_status nln_training_record_parse(nln_record *out, const char *text, nln_error *err);

#endif
