/* What a bench reports is of what was asked, and within what is possible; how fast it is
 * depends on the machine, and is not tested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "math/kernels.h"
#include "nln_lab.h"
#include "tiny.h"

typedef nln_status bench(nln_bench_report *out, const nln_data *data, const nln_options *options,
                         int passes, nln_error *err);

#define SETTINGS \
    "dimension=8 hidden=4 members=2 networks=2 orders=3 duals=false threads=2 batch=40 "
enum { VARIABLES = 12, HIDDEN = 4, MEMBERS = 2, NETWORKS = 2, ORDERS = 3 };

static nln_status run(nln_bench_report *out, bench *f, const char *settings, int passes,
                      nln_error *err)
{
    nln_data *data = tiny_data("variables=12 expressions=100 seed=5");
    nln_options *o = tiny_options("train", settings);
    nln_status status = f(out, data, o, passes, err);
    assert_true(status || out->expressions == nln_data_size(data, NLN_TRAIN));
    nln_options_free(o);
    nln_data_free(data);
    return status;
}

static nln_bench_report good(bench *f, const char *settings)
{
    nln_bench_report report;
    nln_error err = {0};
    tiny_need(run(&report, f, settings, 2, &err), &err);
    assert_true(report.seconds > 0 && report.sgemm_flops >= 0 && report.peak_rss_bytes > 0);
    assert_true(strlen(report.blas) > 0 && strlen(report.kernels) > 0);
    return report;
}

static void check_shares(nln_bench_report r)
{
    double shares[] = {r.plan, r.gather, r.gemm, r.element_wise, r.law_terms, r.adam}, sum = 0;
    for (int i = 0; i < 6; i++) {
        assert_true(shares[i] >= 0);
        sum += shares[i];
    }
    assert_true(r.gemm > 0 && r.element_wise > 0 && sum < 1.01);
}

static void shares_of_a_training_are_parts_of_its_time(void **state)
{
    (void)state;
    nln_bench_report r = good(nln_bench_train, SETTINGS "law-sample=1");
    check_shares(r);
    assert_int_equal(r.threads, 2);
    assert_true(r.rows_after_sharing > 0 && r.rows_after_sharing <= r.rows);
    assert_true(r.executed_flop > 0 && r.executed_flop < r.textbook_flop);
    assert_true(isnan(r.single_seconds));
    if (r.sgemm_flops > 0)
        assert_true(fabs(r.ratio * r.seconds * 2 * r.sgemm_flops / r.textbook_flop - 1) < 1e-9);
}

/* The laws are ten terms for every vector, and half of a training or more. */
static void laws_are_counted(void **state)
{
    (void)state;
    nln_bench_report with = good(nln_bench_train, SETTINGS "law-sample=1");
    nln_bench_report without = good(nln_bench_train, SETTINGS "law-weight=0");
    assert_true(with.textbook_flop > 2 * without.textbook_flop);
    assert_true(without.law_terms == 0);
}

/* By the book a forward pass of the trees is a third of a training without laws, for each of
 * the orders that are averaged. */
static void predictions_are_counted_by_the_book(void **state)
{
    (void)state;
    nln_bench_report train = good(nln_bench_train, SETTINGS "law-weight=0");
    nln_bench_report predict = good(nln_bench_predict, SETTINGS);
    double forward = train.textbook_flop / 3;
    assert_true(fabs(predict.textbook_flop / (ORDERS * forward) - 1) < 1e-9);
    assert_true(predict.single_seconds > 0);
    assert_true(predict.rows == ORDERS * train.rows);
    assert_true(predict.rows_after_sharing > 0 && predict.rows_after_sharing <= predict.rows);
    assert_true(predict.executed_flop > 0 && predict.executed_flop < predict.textbook_flop);
    check_shares(predict);
    assert_true(predict.plan > 0 && predict.law_terms == 0 && predict.adam == 0);
}

/* Zeros are all that a ranking spares, and a library, which is used where registers are narrow,
 * skips none. */
static void rankings_take_every_variable(void **state)
{
    (void)state;
    nln_bench_report r = good(nln_bench_rank, SETTINGS);
    int skips = nln_kernels_get()->wide || r.sgemm_flops == 0;
    assert_true(r.rows == (double)r.expressions * VARIABLES * MEMBERS * NETWORKS);
    assert_true(r.textbook_flop == 2 * HIDDEN * HIDDEN * r.rows);
    assert_true(r.executed_flop > 0);
    assert_true(skips ? r.executed_flop < r.textbook_flop : r.executed_flop == r.textbook_flop);
    check_shares(r);
    assert_int_equal(r.threads, 1);
    assert_true(r.single_seconds > 0 && r.single_seconds < r.seconds);
}

static void other_models_have_no_flops_by_the_book(void **state)
{
    (void)state;
    nln_bench_report r = good(nln_bench_train, "model=birnn dimension=8 threads=1");
    assert_true(isnan(r.textbook_flop) && isnan(r.ratio) && isnan(r.gemm));
    r = good(nln_bench_predict, "model=birnn dimension=8 threads=1");
    assert_true(isnan(r.textbook_flop) && isnan(r.gemm) && r.single_seconds > 0);
}

static void what_cannot_be_timed_is_refused(void **state)
{
    (void)state;
    static bench *const all[] = {nln_bench_train, nln_bench_predict, nln_bench_rank};
    nln_bench_report report;
    nln_error err = {0};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run(&report, all[i], SETTINGS, 0, &err), NLN_INVALID);
        assert_int_equal(run(&report, all[i], SETTINGS, 1001, &err), NLN_INVALID);
        assert_non_null(strstr(err.message, "1001"));
        assert_int_equal(run(&report, all[i], "model=ease task=topk", 1, &err), NLN_INVALID);
    }
    assert_int_equal(run(&report, nln_bench_rank, "model=birnn", 1, &err), NLN_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_of_a_training_are_parts_of_its_time),
        cmocka_unit_test(laws_are_counted),
        cmocka_unit_test(predictions_are_counted_by_the_book),
        cmocka_unit_test(rankings_take_every_variable),
        cmocka_unit_test(other_models_have_no_flops_by_the_book),
        cmocka_unit_test(what_cannot_be_timed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
