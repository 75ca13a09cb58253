/* The experiments of the paper that `nln reproduce` repeats, as tables: data (sources), methods,
 * measures, published numbers, and the tables and figures made of them (exhibits).  A run is one
 * method on one source with one seed; exhibits share runs. */
#ifndef CLI_REPRODUCE_PAPER_EXPERIMENTS_H
#define CLI_REPRODUCE_PAPER_EXPERIMENTS_H

#include <stddef.h>

/* The size of the experiments: the paper's; minutes; or seconds, which only test the program. */
typedef enum cli_scale { CLI_SCALE_FULL, CLI_SCALE_QUICK, CLI_SCALE_TINY, CLI_N_SCALES } cli_scale;

/* A source at a scale. */
typedef struct cli_extent {
    const char *title;   /* NULL: the source is left out at this scale */
    const char *make;    /* the command that generates it, without --seed and --out; NULL: a file */
    const char *caps[3]; /* words added to trainings of baselines, of NLN, of its paper's recipe */
    int published;       /* it is of the paper's kind and size, so its numbers may stand beside */
    double weight;       /* seconds of a usual training, roughly */
    const char *name;    /* where the size is not that of the source's name; else NULL */
} cli_extent;

typedef struct cli_source {
    const char *name; /* of the folder of its runs: see cli_paper_folder */
    const char *task; /* the option of training */
    const char *file; /* below the folder of data; NULL: whatever --electronics gives */
    const char *options;
    const char *tuned; /* the source by the name it has in share/tuned */
    int fresh;         /* generated for each seed */
    cli_extent at[CLI_N_SCALES];
} cli_source;

typedef enum cli_standing {
    CLI_BASELINE,
    CLI_OURS,
    CLI_LIMIT, /* not learned: the best that is possible */
    CLI_ASIDE  /* of ours, and only in tables and figures that name it */
} cli_standing;

typedef struct cli_method {
    const char *name, *title;
    cli_standing standing;
    const char *tasks; /* the tasks or sources it is for, separated by blanks */
    const char *words; /* of the training */
    const char *tuned; /* the model by the name it has in share/tuned, or NULL */
    const char *after; /* of a limit: the method whose models it takes */
    int solves;        /* it gives values to the variables of expressions */
    double weight;     /* of its training, as a multiple of the source's */
    const char *facts; /* about items, below the folder of data; NULL: none */
} cli_method;

typedef struct cli_measure {
    const char *title, *key; /* in a table; in the JSON object of a split */
    const char *task;
    const char *per_user; /* its column in the file of --per-user or --per-triple, or NULL */
    int lower_is_better;
    int solved; /* measured by `nln evaluate` for methods that solve */
} cli_measure;

typedef struct cli_published {
    const char *source, *method, *key;
    double value, error;
} cli_published;

/* A point of a sweep: the method, and what its place on the x axis is called. */
typedef struct cli_step {
    const char *label, *method;
    int quick; /* also done at the scale quick */
} cli_step;

typedef enum cli_kind { CLI_TABLE, CLI_SWEEP, CLI_MAP, CLI_CURVES, CLI_MAPS, CLI_LENGTHS } cli_kind;

enum { CLI_MOST_SOURCES = 5, CLI_MOST_STEPS = 8, CLI_MOST_MEASURES = 4 };

typedef struct cli_exhibit {
    const char *name, *title, *caption;
    cli_kind kind;
    const char *sources[CLI_MOST_SOURCES]; /* the parts of a table; the panels of a figure */
    const char *keys[CLI_MOST_SOURCES];    /* what the panels of a sweep show */
    cli_step steps[CLI_MOST_STEPS]; /* of a sweep; the curves of lengths; the rows of a table,
                                     * which else has all methods; else the methods of the
                                     * panels */
} cli_exhibit;

/* Rows of the tables, NULL past their ends or where there is no such name. */
const cli_exhibit *cli_paper_exhibit(int index);
const cli_exhibit *cli_paper_find(const char *name);
const cli_source *cli_paper_source(const char *name);
const cli_method *cli_paper_method(int index);
const cli_method *cli_paper_method_named(const char *name);
const cli_measure *cli_paper_measure(int index);
const cli_measure *cli_paper_measure_of(const cli_source *source, const char *key);
/* The number that the paper has, or NULL. */
const cli_published *cli_paper_published(const cli_source *source, const cli_method *method,
                                         const cli_measure *measure);
int cli_paper_is_for(const cli_method *method, const cli_source *source);
/* Whether a table has a row for the method in its part for the source. */
int cli_paper_shows(const cli_exhibit *table, const cli_method *method, const cli_source *source);
/* The name of a source in files and columns at this scale. */
const char *cli_paper_folder(const cli_source *source, cli_scale scale);
/* A remark for readers of results at this scale; "" for the full one. */
const char *cli_paper_notice(cli_scale scale);
/* The epochs that figure-tsne-epochs shows; 0 past the last. */
int cli_paper_snapshot(cli_scale scale, int index);

#endif
