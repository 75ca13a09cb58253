/* nln plot expression: draws an expression as the network that computes it, as SVG or for Graphviz,
 * with the truth value of every part.  The leaves stand on the left, and the whole expression on
 * the right. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "show/json_output.h"
#include "show/output_file.h"

enum { GAP = 36, LINE = 56, LEAST_BOX = 96, HEIGHT = 40, MARGIN = 24, LETTER = 9 }; /* in pixels */
enum { MOST_LETTERS = 40 };                                                         /* of a label */

/* Where a node stands: its column from the left, and its line. */
typedef struct place {
    int column;
    double line;
} place;

/* Every leaf has a line of its own, an operator stands in the middle of its operands, one column
 * behind the last of them.  Returns the number of lines. */
static int arrange(place *places, const nln_graph *graph)
{
    int lines = 0;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const nln_graph_node *node = &graph->nodes[i];
        places[i] = (place){0, 0};
        for (size_t k = 0; k < node->n_operands; k++) {
            const place *operand = &places[node->operands[k]];
            if (operand->column >= places[i].column)
                places[i].column = operand->column + 1;
            places[i].line += operand->line / (double)node->n_operands;
        }
        if (node->n_operands == 0)
            places[i].line = lines++;
    }
    return lines;
}

static double x_of(place at, int box)
{
    return MARGIN + (box + GAP) * at.column;
}

static double y_of(place at)
{
    return MARGIN + LINE * at.line;
}

/* From orange for false over white to blue for true, which colour-blind readers tell apart. */
static void put_colour(FILE *to, double truth)
{
    static const int ends[2][3] = {{230, 130, 40}, {60, 120, 200}};
    const int *end = ends[truth > 0.5];
    double share = fabs(2 * truth - 1) * 0.85;
    fputc('#', to);
    for (int i = 0; i < 3; i++)
        fprintf(to, "%02x", (unsigned)lround(255 + share * (end[i] - 255)));
}

/* At most `most` characters of a text, with the signs of XML spelled out. */
static void put_text(FILE *to, const char *text, size_t most)
{
    size_t n = 0;
    for (; *text && n < most; text++) {
        n += ((unsigned char)*text & 0xc0) != 0x80;
        if (strchr("<>&\"", *text))
            fprintf(to, "&#%d;", *text);
        else
            fputc(*text, to);
    }
    if (*text)
        fputs("…", to);
}

static const char *label_of(const nln_graph_node *node)
{
    static const char *const labels[][2] = {
        {"not", "NOT"}, {"and", "AND"},   {"or", "OR"}, {"true", "T"},
        {"false", "F"}, {"implies", "→"}, {"iff", "↔"}, {"xor", "exclusive or"}};
    if (node->name)
        return node->name;
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (strcmp(node->operation, labels[i][0]) == 0)
            return labels[i][1];
    return node->operation;
}

static void put_node(FILE *to, const nln_graph_node *node, place at, int box)
{
    double x = x_of(at, box), y = y_of(at);
    fprintf(to, "<g><rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"%d\" fill=\"", x, y,
            box, HEIGHT, node->n_operands ? 6 : HEIGHT / 2);
    put_colour(to, node->truth);
    fprintf(to, "\" stroke=\"#444\"/>\n<text x=\"%.1f\" y=\"%.1f\" font-weight=\"bold\">",
            x + box / 2.0, y + 17);
    put_text(to, label_of(node), MOST_LETTERS);
    fprintf(to, "</text>\n<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\">%.3f</text></g>\n",
            x + box / 2.0, y + 33, node->truth);
}

static void put_edges(FILE *to, const nln_graph *graph, const place *places, size_t i, int box)
{
    for (size_t k = 0; k < graph->nodes[i].n_operands; k++) {
        place from = places[graph->nodes[i].operands[k]];
        double x1 = x_of(from, box) + box, y1 = y_of(from) + HEIGHT / 2.0;
        double x2 = x_of(places[i], box), y2 = y_of(places[i]) + HEIGHT / 2.0, half = (x2 - x1) / 2;
        fprintf(to, "<path d=\"M%.1f,%.1f C%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n", x1, y1, x1 + half,
                y1, x2 - half, y2, x2, y2);
    }
}

/* All boxes are as wide as the longest label wants. */
static int box_width(const nln_graph *graph)
{
    size_t most = 0;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        size_t n = 0;
        for (const char *c = label_of(&graph->nodes[i]); *c; c++)
            n += ((unsigned char)*c & 0xc0) != 0x80;
        most = n > most ? n : most;
    }
    int wanted = LETTER * (int)(most < MOST_LETTERS ? most : MOST_LETTERS) + 16;
    return wanted > LEAST_BOX ? wanted : LEAST_BOX;
}

static void draw(FILE *to, const nln_graph *graph)
{
    place *places = cli_memory_resize(NULL, graph->n_nodes, sizeof *places);
    int lines = arrange(places, graph);
    int box = box_width(graph);
    int width = 2 * MARGIN + (box + GAP) * places[graph->n_nodes - 1].column + box;
    int height = 2 * MARGIN + LINE * (lines - 1) + HEIGHT;

    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
            "%d\" font-family=\"sans-serif\" font-size=\"14\" text-anchor=\"middle\">\n<title>",
            width, height, width, height);
    put_text(to, graph->text, 400);
    fprintf(to,
            "</title>\n<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"white\"/>\n"
            "<g fill=\"none\" stroke=\"#888\" stroke-width=\"1.5\">\n",
            width, height);
    for (size_t i = 0; i < graph->n_nodes; i++)
        put_edges(to, graph, places, i, box);
    fputs("</g>\n", to);
    for (size_t i = 0; i < graph->n_nodes; i++)
        put_node(to, &graph->nodes[i], places[i], box);
    fputs("</svg>\n", to);
    free(places);
}

/* A text of Graphviz: in double quotes, with the marks that are special there escaped. */
static void put_quoted(FILE *to, const char *text)
{
    putc('"', to);
    for (; *text; text++) {
        if (strchr("\"\\", *text))
            putc('\\', to);
        putc((unsigned char)*text < 0x20 ? ' ' : *text, to);
    }
    putc('"', to);
}

/* The same network in the language of Graphviz, which draws it in every format. */
static void draw_graphviz(FILE *to, const nln_graph *graph)
{
    fputs("digraph expression {\n    rankdir=LR\n    label=", to);
    put_quoted(to, graph->text);
    fputs("\n    node [style=filled, shape=box, fontname=\"sans-serif\"]\n", to);
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const nln_graph_node *node = &graph->nodes[i];
        fprintf(to, "    n%zu [xlabel=\"%.3f\", fillcolor=\"", i, node->truth);
        put_colour(to, node->truth);
        fputs("\", label=", to);
        put_quoted(to, label_of(node));
        fputs(node->n_operands ? "]\n" : ", shape=ellipse]\n", to);
        for (size_t k = 0; k < node->n_operands; k++)
            fprintf(to, "    n%zu -> n%zu\n", node->operands[k], i);
    }
    fputs("}\n", to);
}

/* What draws a file of this name; NULL, with a usage message, for pictures that only Graphviz can
 * make. */
static void (*drawing_for(const char *out))(FILE *, const nln_graph *)
{
    static const char *const others[] = {".pdf", ".png", ".eps", ".ps", ".jpg", ".gif"};
    const char *dot = strrchr(out, '.');
    dot = dot ? dot : "";
    if (strcmp(dot, ".gv") == 0 || strcmp(dot, ".dot") == 0)
        return draw_graphviz;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(dot, others[i]) == 0) {
            cli_message_usage("--out draws SVG, or FILE.gv for Graphviz, of which `dot -T%s -O "
                              "FILE.gv` makes a %s file",
                              dot + 1, dot);
            return NULL;
        }
    return draw;
}

static void print(const cli_call *call, const nln_graph *graph, const char *out)
{
    double truth = graph->nodes[graph->n_nodes - 1].truth;
    if (!cli_call_flag(call, "json")) {
        printf("%s is %.4f true; %zu part%s drawn in %s\n", graph->text, truth, graph->n_nodes,
               graph->n_nodes == 1 ? "" : "s", out);
        return;
    }
    json_t *object = cli_json_result("model", call->operands[0]);
    cli_json_put(object, "out", cli_json_text(out));
    cli_json_put(object, "expression", cli_json_text(graph->text));
    cli_json_put(object, "truth", cli_json_number(truth));
    cli_json_put(object, "nodes", cli_json_count(graph->n_nodes));
    cli_json_print(object);
}

int cli_plot_expression(const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;
    nln_graph *graph = NULL;
    const char *out = cli_call_text(call, "out");
    cli_file file;
    void (*drawing)(FILE *, const nln_graph *) = drawing_for(out);
    int code = drawing ? CLI_OK : CLI_USAGE;

    if (code)
        return code;
    if (nln_model_load(&model, call->operands[0], &err) ||
        nln_graph_create(&graph, model, call->operands[1], cli_call_flag(call, "normal-form"),
                         &err))
        code = cli_message_error(&err);
    if (!code)
        code = cli_file_open(&file, out, "--out");
    if (!code) {
        drawing(file.stream, graph);
        code = cli_file_finish(&file);
    }
    if (!code)
        print(call, graph, out);
    nln_graph_free(graph);
    nln_model_free(model);
    return code;
}
