/* Ratings as a folder of train.tsv, valid.tsv and test.tsv. */
#include <math.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/number.h"
#include "data/data_folder.h"
#include "data/ratings.h"

/* Writes the fewest digits that nln_number_read turns into x again, as a float if `narrow`.
 * Whole numbers below 2^53 have no exponent; an unknown time is empty. */
static void write_number(nln_output *out, double x, int narrow)
{
    char text[NLN_NUMBER_ROOM] = "";
    double again = 0;
    if (floor(x) == x && fabs(x) < 9007199254740992.0) {
        nln_output_printf(out, "\t%.0f", x);
        return;
    }
    for (int digits = 6; !isnan(x) && digits <= 17; digits++) {
        nln_number_round(text, x, digits);
        if (nln_number_read(&again, text, strlen(text)) &&
            (narrow ? (float)again == (float)x : again == x))
            break;
    }
    nln_output_printf(out, "\t%s", text);
}

static void write_split(nln_output *out, const nln_ratings *r, nln_split split)
{
    nln_output_printf(out, "user_id\titem_id%s%s\n",
                      !r->has_rating              ? ""
                      : nln_ratings_are_labels(r) ? "\tlabel"
                                                  : "\trating",
                      r->time ? "\ttime" : "");
    for (size_t u = 0; u < (size_t)nln_symbols_count(r->users); u++)
        for (size_t i = r->start[u]; i < r->start[u + 1]; i++) {
            if (nln_ratings_split(r, i) != split)
                continue;
            nln_output_printf(out, "%s\t%s", nln_symbols_name(r->users, (int32_t)u),
                              nln_symbols_name(r->items, r->item[i]));
            if (r->has_rating)
                write_number(out, (double)r->rating[i], 1);
            if (r->time)
                write_number(out, r->time[i], 0);
            nln_output_write(out, "\n", 1);
        }
}

nln_status nln_ratings_write(const nln_ratings *r, const char *folder, nln_error *err)
{
    nln_status status = nln_folder_make(folder, err);
    for (int split = NLN_TRAIN; !status && split <= NLN_TEST; split++) {
        nln_output *out = NULL;
        status = nln_folder_create(&out, folder, split, err);
        if (status)
            break;
        write_split(out, r, (nln_split)split);
        status = nln_output_finish(out, err);
    }
    return status;
}
