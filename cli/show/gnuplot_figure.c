#include "show/gnuplot_figure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocate.h"
#include "messages.h"
#include "show/output_file.h"

enum { PANEL_WIDTH = 460, PANEL_HEIGHT = 380, NO_GNUPLOT = 127 };

/* Okabe and Ito's colours without the yellow, which is too pale for lines. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#E69F00",
                                      "#CC79A7", "#56B4E9", "#000000"};
static const int marks[] = {7, 9, 5, 13, 11, 6, 4}; /* gnuplot's filled shapes, then open ones */
enum { N_STYLES = sizeof marks / sizeof *marks };

/* A string of gnuplot: in single quotes only the quote itself is special. */
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

/* The name of a file without its folders. */
static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- the script ------------------------------------------------------------------- */

/* A value of gnuplot for each row; NaN, which is not drawn, for rows that do not belong. */
static void put_value(FILE *out, const cli_series *s, const char *name)
{
    putc('(', out);
    if (s->where) {
        fputs("strcol(", out);
        put_string(out, s->where);
        fputs(") eq ", out);
        put_string(out, s->equals);
        fputs(" ? ", out);
    }
    fputs("column(", out);
    put_string(out, name);
    fputs(s->where ? ") : NaN)" : "))", out);
}

static void put_using(FILE *out, const cli_series *s, const cli_panel *panel, int with_error)
{
    fputs(" using ", out);
    put_value(out, s, s->x);
    putc(':', out);
    put_value(out, s, s->y);
    if (with_error) {
        putc(':', out);
        put_value(out, s, s->error);
    }
    if (!with_error && panel->labels) {
        fputs(panel->labels_y ? ":ytic(strcol(" : ":xtic(strcol(", out);
        put_string(out, panel->labels);
        fputs("))", out);
    }
}

static void put_series(FILE *out, const cli_figure *figure, const cli_panel *panel, int index,
                       const char *own)
{
    const cli_series *s = &panel->series[index];
    const char *file = s->file ? s->file : own;
    int style = (s->colour > 0 ? s->colour - 1 : index) % N_STYLES;
    const char *colour = colours[style];
    double size = figure->point_size > 0 ? figure->point_size : 0.8;

    fputs(index ? ", \\\n        " : "    plot ", out);
    if (s->error) {
        put_string(out, file);
        put_using(out, s, panel, 1);
        fprintf(out, " with yerrorbars lw 1.5 pt 0 ps 0 lc rgb '%s' notitle, \\\n        ", colour);
    }
    put_string(out, file);
    put_using(out, s, panel, 0);
    if (s->drawing == CLI_DRAW_POINTS)
        fprintf(out, " with points pt %d ps %g lc rgb '%s'", marks[style], size, colour);
    else if (s->drawing == CLI_DRAW_LINE)
        fprintf(out, " with lines lw 2 dt %d lc rgb '%s'", 1 + style, colour);
    else
        fprintf(out, " with linespoints lw 2 dt %d pt %d ps %g lc rgb '%s'", 1 + style,
                marks[style], size, colour);
    fputs(s->title ? " title " : " notitle", out);
    if (s->title)
        put_string(out, s->title);
}

static void put_panel(FILE *out, const cli_figure *figure, const cli_panel *panel, const char *own)
{
    put_setting(out, "title", panel->title);
    put_setting(out, "xlabel", panel->x_label);
    put_setting(out, "ylabel", panel->y_label);
    fprintf(out, "    %s logscale x\n", panel->log_x ? "set" : "unset");
    fprintf(out, "    %s logscale y\n", panel->log_y ? "set" : "unset");
    fprintf(out, "    set size %s\n", panel->bare ? "square" : "nosquare");
    fprintf(out, "    set offsets %s\n",
            panel->bare     ? "graph 0.04, graph 0.04, graph 0.04, graph 0.04"
            : panel->labels ? panel->labels_y ? "0, 0.02, 0.6, 0.6" : "0.4, 0.4, 0, 0"
                            : "0, 0, 0, 0");
    if (panel->bare)
        fputs("    unset xtics; unset ytics; unset grid; set border 15 lc rgb '#999999'\n", out);
    else
        fputs("    set xtics nomirror autofreq; set ytics nomirror autofreq\n"
              "    set grid lc rgb '#dddddd' lt 1; set border 3 lc rgb '#555555'\n",
              out);
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
        put_panel(out, figure, &figure->panels[i], own);
    fputs(figure->n_panels > 1 ? "    unset multiplot\n" : "", out);
    fputs("    unset output\n}\n", out);
}

/* ---- gnuplot ------------------------------------------------------------------------ */

/* In a child process: runs gnuplot in the folder of the script, and never returns.  Scripts are
 * UTF-8 in every locale. */
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

/* Returns the exit code of gnuplot.  Its output is passed on only if it fails: its warnings, such
 * as of a range with one value, are of no use. */
static int run_gnuplot(const char *script)
{
    FILE *said = tmpfile();
    int letter, status = 0, code = CLI_FAILED;

    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(script, said);
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            child = -1;
    if (child > 0 && WIFEXITED(status))
        code = WEXITSTATUS(status);
    if (said && code && code != NO_GNUPLOT)
        for (rewind(said); (letter = getc(said)) != EOF;)
            putc(letter, stderr);
    if (said)
        fclose(said);
    return code;
}

int cli_figure_draw(int *drawn, const cli_figure *figure, const char *prefix)
{
    static int told;
    char *script = cli_memory_print("%s.gp", prefix);
    char *own = cli_memory_print("%s.tsv", base_of(prefix));
    cli_file file;
    int code = cli_file_open(&file, script, "--out");

    if (!code) {
        put_script(file.stream, figure, base_of(prefix), own);
        code = cli_file_finish(&file);
    }
    int answer = code ? code : run_gnuplot(script);
    *drawn = answer == 0;
    if (!code && answer == NO_GNUPLOT && !told++)
        cli_message_note("gnuplot is not installed (gnuplot-nox in Debian), so there are no "
                         "pictures, only their data and scripts, such as %s",
                         script);
    else if (!code && answer && answer != NO_GNUPLOT)
        code = cli_message_failed("gnuplot could not draw %s; its message is above", script);
    free(own);
    free(script);
    return code;
}

int cli_figure_apart(const char *prefix, const char *name, const char *input)
{
    static const char *const endings[] = {".tsv", ".gp", ".svg", ".png", ".pdf"};
    int code = CLI_OK;

    for (size_t i = 0; !code && i < sizeof endings / sizeof *endings; i++) {
        char *path = cli_memory_print("%s%s", prefix, endings[i]);
        const cli_named_path paths[] = {{"--out", path, 0}, {name, input, 1}};
        code = cli_file_apart(paths, 2);
        free(path);
    }
    return code;
}
