/* A small reproduction whose runs have made-up results: what `nln` finds is better than what the
 * others find, by a margin that varies with the seed. */
#ifndef CLI_FAKE_RESULTS_H
#define CLI_FAKE_RESULTS_H

#include <jansson.h>

#include "cli_test.h"
#include "reproduce/experiment_plan.h"

static inline json_t *fake_result(const char *run, int seed)
{
    double value = 0.5 + 0.01 * seed + (strstr(run, "/nln/") ? 0.3 + 0.001 * seed : 0);
    json_t *result = json_pack(
        "{s:{s:f,s:f},s:{s:f,s:f,s:f},s:{s:f,s:f,s:f},s:i,s:{s:f},"
        "s:[{s:s,s:i,s:f},{s:s,s:i,s:n},{s:s,s:i,s:f}]}",
        "test", "accuracy", value, "rmse", 1 - value, "network", "accuracy", value, "rmse",
        1 - value, "recovered", value, "posterior", "accuracy", value, "rmse", 1 - value,
        "recovered", value, "best_epoch", 3, "options", "law-weight",
        strstr(run, "/nln/") ? 0.0 : 0.1, "lengths", "kind", "and", "size", 5, "right", value,
        "kind", "and", "size", 200, "right", "kind", "clauses", "size", 10, "right", 1 - value);
    json_object_set_new(json_object_get(result, "test"), "mrr", json_real(value));
    return result;
}

/* Plans an exhibit at the smallest scale with two seeds, and gives every run its result. */
static inline void open_fake(cli_plan *plan, cli_runs *runs, const char *exhibit)
{
    *runs = (cli_runs){.folder = strdup("store"), .lock = -1};
    *plan = (cli_plan){
        .runs = runs, .scale = CLI_SCALE_TINY, .n_seeds = 2, .data = "", .electronics = ""};
    cli_plan_exhibit(plan, cli_paper_find(exhibit));
    for (size_t i = 0; i < runs->n; i++) {
        cli_run *run = runs->all[i];
        run->result = fake_result(run->name, atoi(run->name + strlen(run->name) - 1));
        assert_non_null(run->result);
        run->seconds = 2;
    }
}

#endif
