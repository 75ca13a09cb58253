/* A figure: a TSV file, a gnuplot script beside it that anyone can change and run again, and
 * the pictures that gnuplot draws: PREFIX.tsv, PREFIX.gp, PREFIX.svg, .png and .pdf.
 * The caller writes the TSV file, with a line of column names, and says here which columns are
 * drawn and how.  Colours are those of Okabe and Ito, which colour-blind readers can tell apart;
 * marks and dashes differ as well. */
#ifndef CLI_SHOW_GNUPLOT_FIGURE_H
#define CLI_SHOW_GNUPLOT_FIGURE_H

typedef enum cli_drawing {
    CLI_DRAW_POINTS, /* marks alone, as in a scatter plot */
    CLI_DRAW_LINE,   /* a line alone */
    CLI_DRAW_CURVE   /* a line with marks, and error bars if there is a column for them */
} cli_drawing;

/* Columns go by their names in the first line of the file. */
typedef struct cli_series {
    const char *title; /* in the legend; NULL leaves it out */
    cli_drawing drawing;
    const char *x, *y;
    const char *error;          /* half the length of the error bars, or NULL */
    const char *where, *equals; /* only rows with this text in column `where`; NULL: all */
    const char *file;           /* as seen from the script's folder; NULL is PREFIX.tsv */
    int colour;                 /* 1, 2, ... of the palette; 0 takes the next */
} cli_series;

typedef struct cli_panel {
    const char *title, *x_label, *y_label; /* each may be NULL */
    const cli_series *series;              /* [n_series] */
    int n_series;
    const char *labels; /* the column with the labels of the x axis, where x is a position ... */
    int labels_y;       /* ... or of the y axis */
    int log_x, log_y;
    int bare; /* a map: square, and without numbers at the axes */
} cli_panel;

typedef struct cli_figure {
    const char *title;       /* may be NULL */
    const cli_panel *panels; /* [n_panels] */
    int n_panels;
    int columns;       /* of panels; 0 puts them side by side */
    double point_size; /* 0 is the usual one */
} cli_figure;

/* Writes PREFIX.gp and runs gnuplot on it.  Returns an exit code; *drawn says whether there are
 * pictures now.  If gnuplot is not installed, a note says so once; that is not a failure. */
int cli_figure_draw(int *drawn, const cli_figure *figure, const char *prefix);

/* A usage message if a file of the figure is also the input, which the command line calls
 * `name`. */
int cli_figure_apart(const char *prefix, const char *name, const char *input);

#endif
