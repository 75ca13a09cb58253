#include "serve/work_queue.h"

#include <pthread.h>

#include "base/array.h"
#include "base/error.h"

struct nln_work_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    nln_http_request **ring; /* [room] */
    size_t room, first, n;
    int stopping;
    void (*run)(nln_http_request *r);
    pthread_t *threads;
    int n_threads;
};

static void *work(void *context)
{
    nln_work_queue *q = context;
    pthread_mutex_lock(&q->lock);
    while (1) {
        while (!q->n && !q->stopping)
            pthread_cond_wait(&q->changed, &q->lock);
        if (!q->n)
            break;
        nln_http_request *r = q->ring[q->first];
        q->first = (q->first + 1) % q->room;
        q->n--;
        pthread_mutex_unlock(&q->lock);
        q->run(r);
        pthread_mutex_lock(&q->lock);
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

nln_status nln_work_queue_create(nln_work_queue **out, int workers, size_t room,
                                 void (*run)(nln_http_request *r), nln_error *err)
{
    nln_work_queue *q = *out = nln_array_zeroed(1, sizeof *q);
    if (!q)
        return nln_error_memory(err);
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    q->run = run;
    q->room = room;
    q->ring = nln_array_zeroed(room, sizeof *q->ring);
    q->threads = nln_array_zeroed((size_t)workers, sizeof *q->threads);
    int failed = !q->ring || !q->threads;
    while (!failed && q->n_threads < workers) {
        failed = pthread_create(&q->threads[q->n_threads], NULL, work, q) != 0;
        q->n_threads += !failed;
    }
    if (!failed)
        return NLN_OK;
    nln_work_queue_free(q);
    *out = NULL;
    return nln_error_set(err, NLN_MEMORY, "the threads of the server cannot be started");
}

void nln_work_queue_free(nln_work_queue *q)
{
    if (!q)
        return;
    pthread_mutex_lock(&q->lock);
    q->stopping = 1;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    for (int i = 0; i < q->n_threads; i++)
        pthread_join(q->threads[i], NULL);
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->changed);
    nln_free(q->ring);
    nln_free(q->threads);
    nln_free(q);
}

int nln_work_queue_add(nln_work_queue *q, nln_http_request *r)
{
    pthread_mutex_lock(&q->lock);
    int fits = q->n < q->room;
    if (fits) {
        q->ring[(q->first + q->n) % q->room] = r;
        q->n++;
        pthread_cond_signal(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return fits;
}

size_t nln_work_queue_waiting(nln_work_queue *q)
{
    pthread_mutex_lock(&q->lock);
    size_t n = q->n;
    pthread_mutex_unlock(&q->lock);
    return n;
}
