/* report.html: all tables, figures, runs, and the machine, in one page that needs no other
 * file, for a laptop and a phone. */
#ifndef CLI_REPRODUCE_HTML_REPORT_H
#define CLI_REPRODUCE_HTML_REPORT_H

#include "reproduce/result_summary.h"

/* A table or figure that was made. */
typedef struct cli_result {
    const cli_exhibit *exhibit;
    int there;                /* there was anything to show */
    int drawn;                /* of a figure: there are pictures */
    cli_result_summary sheet; /* of a table */
} cli_result;

/* Writes FOLDER/report.html; figures are taken from FOLDER/figures.  Returns an exit code. */
int cli_report_write(const char *folder, const cli_plan *plan, const cli_result *results,
                     int n_results);

#endif
