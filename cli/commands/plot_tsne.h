/* What the verbs that draw have in common. */
#ifndef CLI_COMMANDS_PLOT_TSNE_H
#define CLI_COMMANDS_PLOT_TSNE_H

/* The path of a figure's data, PREFIX.tsv; to be freed. */
char *cli_plot_path(const char *prefix);
/* A usage message if a file of the figure is this one, which the command line calls `name`. */
int cli_plot_apart(const char *prefix, const char *name, const char *input);

#endif
