/* The inside of nln_options: a table and its values. */
#ifndef NLN_BASE_OPTIONS_H
#define NLN_BASE_OPTIONS_H

#include "base/error.h"

/* Sets from a given source; does nothing (but check the value) when the value in
 * force comes from a stronger one. */
nln_status nln_options_assign(nln_options *o, const char *name, const char *text,
                              nln_option_source source, nln_error *err);
/* Says which command's table the options are made from; the text must outlive them. */
void nln_options_name(nln_options *o, const char *command);
/* Fails with a sentence unless the options are of that command's table. */
nln_status nln_options_check(const nln_options *o, const char *command, nln_error *err);
nln_status nln_options_copy(nln_options **out, const nln_options *o, nln_error *err);

#endif
