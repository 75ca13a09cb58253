/* Requests that wait for a worker, and the workers. */
#ifndef NLN_SERVE_WORK_QUEUE_H
#define NLN_SERVE_WORK_QUEUE_H

#include "serve/http_request.h"

typedef struct nln_work_queue nln_work_queue;

/* Starts `workers` threads; each takes a request, calls run(request), and takes the next. */
nln_status nln_work_queue_create(nln_work_queue **out, int workers, size_t room,
                                 void (*run)(nln_http_request *r), nln_error *err);
/* Runs what waits, then stops the threads. */
void nln_work_queue_free(nln_work_queue *queue);
/* 0: the queue is full. */
int nln_work_queue_add(nln_work_queue *queue, nln_http_request *r);
size_t nln_work_queue_waiting(nln_work_queue *queue);

#endif
