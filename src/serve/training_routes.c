/* POST, GET and DELETE /api/v1/train, GET /api/v1/train/stream. */
#include <string.h>

#include "serve/background_training.h"
#include "serve/json_fields.h"
#include "serve/routes.h"
#include "serve/server.h"

static nln_handled answer_state(nln_http_request *r, int status)
{
    r->status = status;
    nln_http_request_open(r);
    nln_trainer_service_print(&r->text, r->server->trainer);
    nln_http_request_close(r);
    return NLN_ANSWERED;
}

nln_handled nln_answer_train(nln_http_request *r)
{
    nln_fields f;
    nln_training_job job = {0};
    nln_error err = {0};
    const char *name = NULL;
    if (r->json &&
        (!nln_fields_open(&f, r, "data name task epochs") ||
         !nln_fields_string(&job.data, &f, "data", 0) || !nln_fields_string(&name, &f, "name", 0) ||
         !nln_fields_string(&job.task, &f, "task", 0) ||
         !nln_fields_size(&job.epochs, &f, "epochs", 1, 1000000)))
        return NLN_ANSWERED;
    if (job.task && strcmp(job.task, "logic") != 0 && strcmp(job.task, "preference") != 0 &&
        strcmp(job.task, "topk") != 0)
        return nln_http_request_fail(r, 422, "task", "this must be logic, preference or topk");
    if (job.task && !job.data)
        return nln_http_request_fail(r, 422, "task",
                                     "the store is learned for the task of the "
                                     "model in service; task is for data");
    if (!job.data && !r->server->store)
        return nln_http_request_fail(r, 409, NULL,
                                     "this server has no store to learn from: start it with store, "
                                     "or send data");
    if (nln_trainer_service_begin(r->server->trainer, &job, &err))
        return nln_http_request_fail(r, err.status == NLN_LIMIT ? 409 : 503, NULL, "%s",
                                     err.message);
    return answer_state(r, 202);
}

nln_handled nln_answer_train_state(nln_http_request *r)
{
    return answer_state(r, 200);
}

nln_handled nln_answer_train_stop(nln_http_request *r)
{
    if (!nln_trainer_service_stop(r->server->trainer))
        return nln_http_request_fail(r, 409, NULL, "no training is running");
    return answer_state(r, 202);
}

nln_handled nln_answer_train_stream(nln_http_request *r)
{
    if (nln_trainer_service_follow(&r->stream, r->server->trainer, r->last_event))
        r->type = "text/event-stream";
    else
        r->status = 204;
    return NLN_ANSWERED;
}
