/* The one thread that writes to a store.  It takes the batches that wait, in their order, and
 * commits them in one transaction, so that many clients share the cost of a sync. */
#ifndef NLN_STORE_STORE_WRITER_H
#define NLN_STORE_STORE_WRITER_H

#include "store/store_engine.h"

typedef struct nln_store_writer nln_store_writer;

/* Takes over the connection, also when it fails.  No member of the options is 0. */
nln_status nln_store_writer_start(nln_store_writer **out, const nln_store_engine *engine,
                                  void *connection, const nln_store_options *options,
                                  nln_error *err);
/* Writes what was submitted, then ends the thread and disconnects. */
void nln_store_writer_stop(nln_store_writer *writer);
/* As nln_store_submit, nln_store_append and nln_store_forget. */
nln_status nln_store_writer_submit(nln_store_writer *writer, const nln_event *events, size_t n,
                                   nln_verdict *verdicts, nln_store_done *done, void *context,
                                   nln_error *err);
nln_status nln_store_writer_append(nln_verdict *verdicts, nln_store_writer *writer,
                                   const nln_event *events, size_t n, nln_error *err);
nln_status nln_store_writer_forget(size_t *n, nln_store_writer *writer, const char *user,
                                   nln_error *err);
void nln_store_writer_count(nln_store_counters *out, nln_store_writer *writer);

#endif
