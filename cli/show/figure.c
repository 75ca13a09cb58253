#include "show/figure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocate.h"
#include "messages.h"
#include "show/files.h"

enum { PANEL_WIDTH = 460, PANEL_HEIGHT = 380, NO_GNUPLOT = 127 };

/* Okabe and Ito's colours without the yellow, which is too pale for lines. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#E69F00",
                                      "#CC79A7", "#56B4E9", "#000000"};
static const int marks[] = {7, 9, 5, 13, 11, 6, 4}; /* gnuplot's filled shapes, then open ones */
enum { N_STYLES = sizeof marks / sizeof *marks };

/* ---- text ------------------------------------------------------------------------ */

/* A string of gnuplot: in single quotes nothing but the quote itself has a meaning. */
static void put_string(FILE *out, const char *text)
{
    putc('\'', out);
    for (const char *c = text ? text : ""; *c; c++) {
        if (*c == '\'')
            putc('\'', out);
        putc((unsigned char)*c < 0x20 ? ' ' : *c, out);
    }
    putc('\'', out);
}

static void put_setting(FILE *out, const char *name, const char *text)
{
    if (!text || !text[0]) {
        fprintf(out, "    unset %s\n", name);
        return;
    }
    fprintf(out, "    set %s ", name);
    put_string(out, text);
    putc('\n', out);
}

void cli_figure_cell(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++)
        putc((unsigned char)*c < 0x20 ? ' ' : *c, out);
}

/* The name of a file without its folders. */
static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- the script ------------------------------------------------------------------- */

static void put_column(FILE *out, const char *function, const char *name)
{
    fprintf(out, "%s(", function);
    put_string(out, name);
    putc(')', out);
}

/* A value of gnuplot for each row, or NaN, which is not drawn, where the row is not wanted. */
static void put_value(FILE *out, const cli_series *s, const char *name)
{
    putc('(', out);
    if (s->where) {
        put_column(out, "strcol", s->where);
        fputs(" eq ", out);
        put_string(out, s->equals);
        fputs(" ? ", out);
    }
    put_column(out, "column", name);
    fputs(s->where ? " : NaN)" : ")", out);
}

static void put_using(FILE *out, const cli_series *s, const char *labels, int with_error)
{
    fputs(" using ", out);
    put_value(out, s, s->x);
    putc(':', out);
    put_value(out, s, s->y);
    if (with_error) {
        putc(':', out);
        put_value(out, s, s->error);
    }
    if (labels) {
        fputs(":xtic(", out);
        put_column(out, "strcol", labels);
        putc(')', out);
    }
}

static void put_style(FILE *out, const cli_figure *figure, const cli_series *s, int style)
{
    double size = figure->point_size > 0 ? figure->point_size : 0.8;
    const char *colour = colours[style % N_STYLES];
    int mark = marks[style % N_STYLES], dash = 1 + style % N_STYLES;

    if (s->drawing == CLI_DRAW_POINTS)
        fprintf(out, " with points pt %d ps %g lc rgb '%s'", mark, size, colour);
    else if (s->drawing == CLI_DRAW_LINE)
        fprintf(out, " with lines lw 2 dt %d lc rgb '%s'", dash, colour);
    else
        fprintf(out, " with linespoints lw 2 dt %d pt %d ps %g lc rgb '%s'", dash, mark, size,
                colour);
}

static void put_error_bars(FILE *out, const cli_series *s, const char *file, int style)
{
    put_string(out, file);
    put_using(out, s, NULL, 1);
    fprintf(out, " with yerrorbars lw 1.5 pt 0 ps 0 lc rgb '%s' notitle, \\\n        ",
            colours[style % N_STYLES]);
}

static void put_series(FILE *out, const cli_figure *figure, const cli_panel *panel, int index,
                       const char *own)
{
    const cli_series *s = &panel->series[index];
    const char *file = s->file ? s->file : own;
    int style = s->colour > 0 ? s->colour - 1 : index;

    fputs(index ? ", \\\n        " : "    plot ", out);
    if (s->error)
        put_error_bars(out, s, file, style);
    put_string(out, file);
    put_using(out, s, panel->labels, 0);
    put_style(out, figure, s, style);
    if (s->title) {
        fputs(" title ", out);
        put_string(out, s->title);
    } else {
        fputs(" notitle", out);
    }
}

static void put_axes(FILE *out, const cli_panel *panel)
{
    put_setting(out, "title", panel->title);
    put_setting(out, "xlabel", panel->x_label);
    put_setting(out, "ylabel", panel->y_label);
    fprintf(out, "    %s logscale x\n", panel->log_x ? "set" : "unset");
    fprintf(out, "    %s logscale y\n", panel->log_y ? "set" : "unset");
    fprintf(out, "    set size %s\n", panel->bare ? "square" : "nosquare");
    fprintf(out, "    set offsets %s\n",
            panel->bare     ? "graph 0.04, graph 0.04, graph 0.04, graph 0.04"
            : panel->labels ? "0.4, 0.4, 0, 0"
                            : "0, 0, 0, 0");
    if (panel->bare)
        fputs("    unset xtics; unset ytics; unset grid; set border 15 lc rgb '#999999'\n", out);
    else
        fputs("    set xtics nomirror autofreq; set ytics nomirror autofreq\n"
              "    set grid lc rgb '#dddddd' lt 1; set border 3 lc rgb '#555555'\n",
              out);
}

static void put_panel(FILE *out, const cli_figure *figure, int index, const char *own)
{
    const cli_panel *panel = &figure->panels[index];

    put_axes(out, panel);
    for (int i = 0; i < panel->n_series; i++)
        put_series(out, figure, panel, i, own);
    putc('\n', out);
}

/* gnuplot draws the whole figure once for each kind of picture. */
static void put_terminals(FILE *out, int width, int height, const char *base)
{
    static const struct {
        const char *terminal, *unit, *more, *ending;
        double scale; /* of a pixel of the svg file */
    } kinds[] = {
        {"svg", "", "dynamic background '#ffffff' font 'sans-serif,14'", "svg", 1},
        {"pngcairo", "",
         "background '#ffffff' font 'sans,20' linewidth 2 pointscale 2 dashlength 0.5", "png", 2},
        {"pdfcairo", "in", "background '#ffffff' font 'sans,11' dashlength 0.6", "pdf", 1 / 96.0},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        fprintf(out,
                "    if (kind == %zu) {\n        set terminal %s noenhanced size %g%s,%g%s %s\n",
                i + 1, kinds[i].terminal, width * kinds[i].scale, kinds[i].unit,
                height * kinds[i].scale, kinds[i].unit, kinds[i].more);
        fputs("        set output ", out);
        put_string(out, base);
        fprintf(out, ".'.%s'\n    }\n", kinds[i].ending);
    }
}

static void put_script(FILE *out, const cli_figure *figure, const char *base, const char *own)
{
    int columns = figure->columns > 0 ? figure->columns : figure->n_panels;
    int rows = (figure->n_panels + columns - 1) / columns;
    int width = columns * PANEL_WIDTH, height = rows * PANEL_HEIGHT;

    if (figure->n_panels == 1)
        width = width * 3 / 2, height = height * 5 / 4;
    fprintf(out,
            "# Draws %s.svg, .png and .pdf; change it and run in this folder: gnuplot %s.gp\n"
            "set encoding utf8\n"
            "set datafile separator tab\n"
            "set datafile missing ''\n"
            "set key tmargin center horizontal maxrows 1 samplen 3\n"
            "do for [kind = 1:3] {\n",
            base, base);
    put_terminals(out, width, height + (figure->title ? 30 : 0), base);
    if (figure->n_panels > 1) {
        fprintf(out, "    set multiplot layout %d,%d", rows, columns);
        fputs(figure->title ? " title " : "", out);
        if (figure->title)
            put_string(out, figure->title);
        putc('\n', out);
    }
    for (int i = 0; i < figure->n_panels; i++)
        put_panel(out, figure, i, own);
    fputs(figure->n_panels > 1 ? "    unset multiplot\n" : "", out);
    fputs("    unset output\n}\n", out);
}

/* ---- gnuplot ------------------------------------------------------------------------ */

/* In a child: gnuplot in the folder of the script; never returns.  The scripts are UTF-8,
 * whatever the locale. */
static void become_gnuplot(const char *script, FILE *said)
{
    char *folder = cli_memory_copy(script, strlen(script)), *slash = strrchr(folder, '/');
    char *words[] = {(char[]){"gnuplot"}, NULL, NULL};

    if (slash)
        slash[slash == folder] = '\0';
    words[1] = cli_memory_copy(base_of(script), strlen(base_of(script)));
    if (slash && chdir(folder))
        _exit(CLI_FAILED);
    if (said && (dup2(fileno(said), STDOUT_FILENO) < 0 || dup2(fileno(said), STDERR_FILENO) < 0))
        _exit(CLI_FAILED);
    setenv("LC_ALL", "C.UTF-8", 1);
    execvp(words[0], words);
    _exit(errno == ENOENT ? NO_GNUPLOT : CLI_FAILED);
}

static int wait_for(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return CLI_FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : CLI_FAILED;
}

/* Returns the exit code of gnuplot.  Its warnings, such as of a range with one value only, are
 * of no use; what it says is passed on if it fails. */
static int run_gnuplot(const char *script)
{
    FILE *said = tmpfile();
    int letter;

    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(script, said);
    int code = child < 0 ? CLI_FAILED : wait_for(child);
    if (said && code && code != NO_GNUPLOT)
        for (rewind(said); (letter = getc(said)) != EOF;)
            putc(letter, stderr);
    if (said)
        fclose(said);
    return code;
}

static char *path_with(const char *prefix, const char *ending)
{
    size_t room = strlen(prefix) + strlen(ending) + 1;
    char *path = cli_memory_resize(NULL, room, 1);
    snprintf(path, room, "%s%s", prefix, ending);
    return path;
}

static int write_script(const cli_figure *figure, const char *prefix, const char *path)
{
    char *own = path_with(base_of(prefix), ".tsv");
    cli_file file;
    int code = cli_file_open(&file, path, "--out");

    if (!code) {
        put_script(file.stream, figure, base_of(prefix), own);
        code = cli_file_finish(&file);
    }
    free(own);
    return code;
}

int cli_figure_draw(int *drawn, const cli_figure *figure, const char *prefix)
{
    static int told;
    char *script = path_with(prefix, ".gp");
    int code = write_script(figure, prefix, script), answer = code ? code : run_gnuplot(script);

    if (drawn)
        *drawn = answer == 0;
    if (!code && answer == NO_GNUPLOT && !told++)
        cli_message_note("gnuplot is not installed (gnuplot-nox in Debian), so there are no "
                         "pictures, only their data and scripts, such as %s",
                         script);
    else if (!code && answer && answer != NO_GNUPLOT)
        code = cli_message_failed("gnuplot could not draw %s; what it said stands above", script);
    free(script);
    return code;
}
