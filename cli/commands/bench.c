/* nln bench: measures the speed of training, prediction and ranking on this machine. */
#include <stdio.h>

#include "command_line.h"
#include "messages.h"
#include "nln_lab.h"
#include "show/struct_fields.h"

typedef nln_status bench_function(nln_bench_report *out, const nln_data *data,
                                  const nln_options *options, int passes, nln_error *err);

typedef struct speed {
    nln_bench_report report;
    double per_second, single_microseconds, peak_rss_bytes;
} speed;

/* clang-format off */
#define FIGURE(member, key, decimals) CLI_FIELD(speed, member, NUMBER, key, key, decimals)
/* clang-format on */
static const cli_field settings[] = {
    CLI_FIELD(speed, report.blas, TEXT, "blas", NULL, 0),
    CLI_FIELD(speed, report.kernels, TEXT, "kernels", NULL, 0),
    CLI_FIELD(speed, report.threads, INT, "threads", NULL, 0),
    CLI_FIELD(speed, report.expressions, COUNT, "expressions", NULL, 0),
};
static const cli_field figures[] = {
    FIGURE(report.textbook_flop, "textbook_flop", 0),
    FIGURE(report.executed_flop, "executed_flop", 0),
    FIGURE(report.seconds, "seconds_per_epoch", 4),
    FIGURE(report.sgemm_flops, "sgemm_flops", 0),
    FIGURE(report.ratio, "ratio", 3),
    FIGURE(per_second, "expressions_per_second", 0),
    FIGURE(report.rows, "rows", 0),
    FIGURE(report.rows_after_sharing, "rows_after_sharing", 0),
    FIGURE(peak_rss_bytes, "peak_rss_bytes", 0),
    FIGURE(single_microseconds, "single_microseconds", 1),
    FIGURE(report.plan, "share_plan", 3),
    FIGURE(report.gather, "share_gather", 3),
    FIGURE(report.gemm, "share_gemm", 3),
    FIGURE(report.element_wise, "share_element_wise", 3),
    FIGURE(report.law_terms, "share_law_terms", 3),
    FIGURE(report.adam, "share_adam", 3),
    FIGURE(report.sent_bytes, "sent_bytes_per_batch", 0),
    FIGURE(report.waited_seconds, "waited_seconds_per_batch", 6),
};

/* The data of the command line: a folder, or generated with the bench's own options. */
static nln_status get_data(nln_data **out, const cli_call *call, nln_error *err)
{
    static const char *const names[] = {"variables", "expressions"};
    nln_options *options = NULL;

    if (call->n_operands)
        return nln_data_read(out, call->operands[0], err);
    nln_status status = nln_options_create(&options, "generate logic", err);
    for (int i = 0; !status && i < 2; i++)
        status = nln_options_set(options, names[i], cli_call_text(call, names[i]), err);
    if (!status)
        status = nln_data_generate(out, options, err);
    nln_options_free(options);
    return status;
}

static int bench(const cli_call *call, bench_function *function)
{
    nln_error err = {0};
    nln_data *data = NULL;
    speed s;
    const nln_bench_report *r = &s.report;
    int passes = (int)nln_options_number(call->options, "passes");

    nln_status status = nln_options_settle(call->library[0], &err);
    if (!status)
        status = get_data(&data, call, &err);
    if (!status)
        status = function(&s.report, data, call->library[0], passes, &err);
    nln_data_free(data);
    if (status)
        return cli_message_error(&err);
    s.per_second = (double)r->expressions / r->seconds;
    s.single_microseconds = r->single_seconds * 1e6;
    s.peak_rss_bytes = (double)r->peak_rss_bytes;
    if (cli_call_flag(call, "json")) {
        json_t *object = cli_json_result("bench", call->command->name);
        cli_fields_put(object, settings, CLI_COUNT(settings), &s);
        cli_fields_put(object, figures, CLI_COUNT(figures), &s);
        cli_json_put(object, "options", cli_json_options(call->library[0]));
        cli_json_print(object);
        return CLI_OK;
    }
    cli_fields_print_list(figures, CLI_COUNT(figures), &s);
    printf("%zu expressions, %d thread%s, %s, %s kernels\n", r->expressions, r->threads,
           cli_message_plural((size_t)r->threads), r->blas, r->kernels);
    return CLI_OK;
}

int cli_bench_train(const cli_call *call)
{
    return bench(call, nln_bench_train);
}

int cli_bench_predict(const cli_call *call)
{
    return bench(call, nln_bench_predict);
}

int cli_bench_rank(const cli_call *call)
{
    return bench(call, nln_bench_rank);
}

/* ---- bench recommend -------------------------------------------------------------- */

/* clang-format off */
#define MEASURED(member, type, decimals) \
    CLI_FIELD(nln_recommend_report, member, type, #member, #member, decimals)
/* clang-format on */
static const cli_field recommend_figures[] = {
    MEASURED(items, COUNT, 0),
    MEASURED(history, COUNT, 0),
    MEASURED(k, COUNT, 0),
    MEASURED(histories, COUNT, 0),
    MEASURED(threads, INT, 0),
    MEASURED(answers_per_second, NUMBER, 0),
    MEASURED(top_seconds, NUMBER, 6),
    MEASURED(full_seconds, NUMBER, 6),
    MEASURED(sgemm_seconds, NUMBER, 6),
    MEASURED(same_list, FLAG, 0),
    MEASURED(bytes_per_item, NUMBER, 1),
    MEASURED(blas, TEXT, 0),
    MEASURED(kernels, TEXT, 0),
};

int cli_bench_recommend(const cli_call *call)
{
    const nln_options *o = call->options;
    nln_recommend_report report;
    nln_error err = {0};

    if (nln_bench_recommend(
            &report, (size_t)nln_options_number(o, "items"),
            (size_t)nln_options_number(o, "history"), (size_t)nln_options_number(o, "top"),
            (size_t)nln_options_number(o, "histories"), (int)nln_options_number(o, "threads"),
            (uint64_t)nln_options_number(o, "seed"), &err))
        return cli_message_error(&err);
    if (!cli_call_flag(call, "json")) {
        cli_fields_print_list(recommend_figures, CLI_COUNT(recommend_figures), &report);
        return CLI_OK;
    }
    json_t *object = cli_json_result("bench", call->command->name);
    cli_fields_put(object, recommend_figures, CLI_COUNT(recommend_figures), &report);
    cli_json_print(object);
    return CLI_OK;
}
