/* Any bytes as a file of ratings, plain, .gz or .zst: in the format FUZZ_FORMAT where that is
 * defined, each having a fuzzer of its own, and else in all of them.  What is accepted must be in
 * order and within its tables, what is left out must be counted, and what is refused has a
 * sentence. */
#include <math.h>

#include "base/utf8.h"
#include "data/ratings.h"
#include "data/ratings_format.h"
#include "fuzz.h"

static void check_names(const nln_symbols *symbols)
{
    for (int32_t i = 0; i < nln_symbols_count(symbols); i++) {
        const char *name = nln_symbols_name(symbols, i);
        require(name[0] && nln_utf8_valid(name, strlen(name)));
    }
}

static void check_ratings(const nln_ratings *r)
{
    check_names(r->users);
    check_names(r->items);
    require(r->start[0] == 0 && r->start[nln_ratings_users(r)] == r->n);
    for (size_t u = 0; u < nln_ratings_users(r); u++) {
        require(r->start[u] < r->start[u + 1]);
        for (size_t i = r->start[u]; i < r->start[u + 1]; i++) {
            require(r->item[i] >= 0 && (size_t)r->item[i] < nln_ratings_items(r));
            require(isfinite(r->rating[i]) && nln_ratings_split(r, i) == NLN_TRAIN);
            require(!r->time || isfinite(r->time[i]));
            require(!r->time || i == r->start[u] || r->time[i - 1] <= r->time[i]);
        }
    }
}

static void read_as(const uint8_t *bytes, size_t n_bytes, int format)
{
    nln_ratings_rules rules = {.format = format, .like_from = NAN, .least = NAN, .most = NAN};
    nln_ratings_report report = {0};
    nln_ratings *ratings = NULL;
    nln_ratings_rows rows;
    nln_input *in;
    nln_error err = {0};
    nln_status status = nln_input_memory(&in, bytes, n_bytes, "fuzz", &err);
    require(nln_ratings_rows_create(&rows, NULL) == NLN_OK);
    if (!status)
        status = nln_ratings_rows_read(&rows, &report, in, NLN_TRAIN, &rules, &err);
    require_told(status, &err);
    size_t left_out = report.bad + report.out_of_range;
    require(rows.n + left_out == report.lines);
    require(report.first.status || !left_out);
    require(!report.first.status || left_out || report.without_time);
    if (!status) {
        require(nln_ratings_from_rows(&ratings, &report, &rows, 0, &err) == NLN_OK);
        require(ratings->n + report.duplicates + left_out == report.lines);
        check_ratings(ratings);
    } else {
        nln_ratings_rows_free(&rows);
    }
    nln_ratings_free(ratings);
    nln_input_close(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    size_t before = nln_memory_used();
#ifdef FUZZ_FORMAT
    read_as(bytes, n_bytes, FUZZ_FORMAT);
#else
    for (int format = 0; format < NLN_FORMATS; format++)
        read_as(bytes, n_bytes, format);
#endif
    require(nln_memory_used() == before);
    return 0;
}
