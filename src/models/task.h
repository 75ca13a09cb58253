/* The tasks, one row of a table for each: what option --task chooses from.
 *
 * A row says all that training, evaluation and models must know of a task.  A new task is a row
 * here and, where its data are of a new kind, a source of requests: see training/source.h. */
#ifndef NLN_MODELS_TASK_H
#define NLN_MODELS_TASK_H

#include <stddef.h>

/* What a task reads. */
typedef enum nln_data_kind {
    NLN_DATA_EXPRESSIONS,
    NLN_DATA_RATINGS,
    NLN_DATA_TRIPLES
} nln_data_kind;

/* What a task is measured by. */
typedef enum nln_measures {
    NLN_MEASURE_LABELS, /* accuracy, RMSE, cross-entropy, AUC: scores are log-odds of labels, and
                         * are calibrated */
    NLN_MEASURE_RANKS,  /* ranks of what was liked: of scores only the order matters */
    NLN_MEASURE_LINKS   /* ranks of entities as answers, among all entities */
} nln_measures;

typedef struct nln_task {
    const char *name;
    nln_data_kind data;
    nln_measures measures;
    const char *lacks; /* what training lacks when there is nothing to learn from, and why */

    /* What --epochs 0 means: `epochs`, or as many as make `batches` batches, but no more than
     * `most`.  The recipe was found on sets that make that many batches; a smaller set needs more
     * epochs to learn as much. */
    int epochs, batches, most;
} nln_task;

/* In the order of the choices of option task. */
const nln_task *nln_task_get(int task);
int nln_task_count(void);

/* A kind of data in words. */
const char *nln_task_data_name(nln_data_kind data);

enum { NLN_TASK_NAMES_ROOM = 128 };
/* Lists tasks in words, as "preference or topk": those of the bits of `tasks`. */
void nln_task_list(char out[NLN_TASK_NAMES_ROOM], unsigned tasks);
/* The bits of all tasks that read this kind of data. */
unsigned nln_task_reading(nln_data_kind data);

#endif
