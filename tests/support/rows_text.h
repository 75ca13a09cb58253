/* Rows from text, as a file of ratings would give them. */
#ifndef NLN_TESTS_ROWS_TEXT_H
#define NLN_TESTS_ROWS_TEXT_H

#include <math.h>
#include <string.h>

#include "data/ratings.h"

static const nln_ratings_rules as_it_is = {.like_from = NAN, .least = NAN, .most = NAN};

/* `rows` must be freed whatever the status. */
static inline nln_status read_text(nln_ratings_rows *rows, nln_ratings_report *report,
                                   const char *text, size_t n, const nln_ratings_rules *rules,
                                   nln_error *err)
{
    nln_input *in;
    memset(report, 0, sizeof *report);
    assert_int_equal(nln_ratings_rows_create(rows, NULL), NLN_OK);
    assert_int_equal(nln_input_memory(&in, text, n, "text", NULL), NLN_OK);
    nln_status status = nln_ratings_rows_read(rows, report, in, NLN_TRAIN, rules, err);
    nln_input_close(in);
    return status;
}

#endif
