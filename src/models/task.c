#include "models/task.h"

#include <stdio.h>

#include "models/training_options.h"

static const nln_task tasks[] = {
    [NLN_TASK_LOGIC] = {.name = "logic",
                        .data = NLN_DATA_EXPRESSIONS,
                        .measures = NLN_MEASURE_LABELS,
                        .lacks = "expressions",
                        .epochs = 24,
                        .batches = 768,
                        .most = 768},
    [NLN_TASK_PREFERENCE] = {.name = "preference",
                             .data = NLN_DATA_RATINGS,
                             .measures = NLN_MEASURE_LABELS,
                             .lacks = "interactions with --least-history others before them; is "
                                      "that too many?",
                             .epochs = 8,
                             .batches = 5900,
                             .most = 500},
    [NLN_TASK_TOPK] = {.name = "topk",
                       .data = NLN_DATA_RATINGS,
                       .measures = NLN_MEASURE_RANKS,
                       .lacks = "likes with --least-history interactions before them; is "
                                "--like-from or --least-history too high?",
                       .epochs = 30,
                       .batches = 5900,
                       .most = 500},
    [NLN_TASK_LINK] = {.name = "link",
                       .data = NLN_DATA_TRIPLES,
                       .measures = NLN_MEASURE_LINKS,
                       .lacks = "triples",
                       .epochs = 15,
                       .batches = 4000,
                       .most = 200},
};

const nln_task *nln_task_get(int task)
{
    return &tasks[task];
}

int nln_task_count(void)
{
    return (int)(sizeof tasks / sizeof *tasks);
}

const char *nln_task_data_name(nln_data_kind data)
{
    static const char *const names[] = {"labelled expressions", "ratings", "triples"};
    return names[data];
}

unsigned nln_task_reading(nln_data_kind data)
{
    unsigned bits = 0;
    for (int i = 0; i < nln_task_count(); i++)
        bits |= tasks[i].data == data ? 1u << i : 0;
    return bits;
}

void nln_task_list(char out[NLN_TASK_NAMES_ROOM], unsigned bits)
{
    size_t at = 0;
    out[0] = '\0';
    for (int i = 0; i < nln_task_count(); i++)
        if (bits >> i & 1 && at < NLN_TASK_NAMES_ROOM)
            at += (size_t)snprintf(out + at, NLN_TASK_NAMES_ROOM - at, "%s%s", at ? " or " : "",
                                   tasks[i].name);
}
