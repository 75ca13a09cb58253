/* Labelled expressions, and the lines that hold them:
 *
 *     (v1 & !v2) | v3 <TAB> T              true, or F, 1, 0, true, false
 *     v1 -> v4 <TAB> 0.7                   a label between: true with probability 0.7
 *     v1 -> v4 <TAB> 0.7 <TAB> 3           with the weight 3 instead of 1
 *     "likes(ann, tea)",1                  as spreadsheets write it
 */
#ifndef NLN_DATA_LABELLED_H
#define NLN_DATA_LABELLED_H

#include "base/input.h"
#include "logic/expr.h"
#include "logic/parse.h"

/* What is measured against: labels that are 0 or 1 unless `soft` has them, all of the same weight
 * unless `weight` has them. */
typedef struct nln_truths {
    const uint8_t *label; /* [n]; of a soft one, whether it is at least 1/2 */
    const float *soft;    /* [n] or NULL */
    const float *weight;  /* [n] or NULL */
} nln_truths;

static inline double nln_truths_label(const nln_truths *t, size_t i)
{
    return t->soft ? (double)t->soft[i] : t->label[i] != 0;
}

static inline double nln_truths_weight(const nln_truths *t, size_t i)
{
    return t->weight ? (double)t->weight[i] : 1;
}

typedef struct nln_labelled {
    nln_exprs exprs;
    uint8_t *labels; /* [exprs.n], 0 or 1; of a soft one, whether it is at least 1/2 */
    float *soft;     /* [exprs.n] in 0 .. 1; NULL while every label is 0 or 1 */
    float *weights;  /* [exprs.n], at least 0; NULL while all are 1 */
    size_t labels_room, soft_room, weights_room;
} nln_labelled;

nln_truths nln_labelled_truths(const nln_labelled *set);
void nln_labelled_free(nln_labelled *set);

/* Adds the label and the weight of the last expression, after nln_exprs_finish. */
nln_status nln_labelled_add(nln_labelled *set, double label, double weight, nln_error *err);
/* NLN_INVALID with a sentence unless the label is in 0 .. 1 and the weight at least 0. */
nln_status nln_labelled_check(double label, double weight, nln_error *err);
/* Appends expression i of another set, with its label and weight. */
nln_status nln_labelled_copy(nln_labelled *to, const nln_labelled *from, size_t i, nln_error *err);

/* Appends every line, adding new names to `names`; a first line sent<TAB>label switches to the
 * published dialect.  A first line that is cut by commas or semicolons into an expression (with an
 * operator) and a label, or that ends with the column `label`, makes it a table of these. */
nln_status nln_labelled_read(nln_labelled *set, const nln_vocabulary *names, nln_input *in,
                             nln_error *err);

/* The next line that is neither blank nor a comment; NULL at the end. */
nln_status nln_labelled_line(char **line, nln_input *in, nln_error *err);
/* Cuts the line at its first TAB and reads the rest as T or F, or as unknown (-1). */
nln_status nln_labelled_value(int *value, char *line, const nln_input *in, nln_error *err);
/* The length of the text without the spaces at its end. */
size_t nln_labelled_trimmed(const char *text);

#endif
