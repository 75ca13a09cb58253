/* The program: finds the verb, reads its options, runs it.  Exit codes: 0, 1
 * (failed), 2 (usage). */
#include "main.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "commands/task_guess.h"
#include "help.h"
#include "messages.h"

static int is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static int unknown_verb(char *const *words, int n_words)
{
    const char *near = cli_command_near(words, n_words);
    size_t length = strlen(words[0]);
    int in_family = near && n_words > 1 && strncmp(near, words[0], length) == 0 &&
                    near[length] == ' '; /* as plot tsne is of plot */
    if (in_family)
        return cli_message_usage(
            "there is no verb '%.40s %.40s'; did you mean `nln %s`? `nln %.40s` lists all of them",
            words[0], words[1], near, words[0]);
    if (near)
        return cli_message_usage("there is no verb '%.80s'; did you mean `nln %s`?", words[0],
                                 near);
    return cli_message_usage("there is no verb '%.80s'; `nln help` lists them", words[0]);
}

static int wants_help(char *const *words, int n_words)
{
    for (int i = 0; i < n_words && strcmp(words[i], "--") != 0; i++)
        if (is_one_of(words[i], "--help", "-h"))
            return 1;
    return 0;
}

/* A verb that cannot run without arguments shows its help when it has none, but
 * still fails: a script that lost its arguments must not go on. */
static int run_verb(const cli_command *command, char *const *words, int n_words, int help)
{
    cli_call call;
    int bare = n_words == 0 && (command->least_operands > 0 || command->needs_out);
    int code = cli_call_open(&call, command);

    if (!code && (help || bare)) {
        code = cli_help_command(&call, words, n_words);
        if (!code && !help)
            code = CLI_USAGE;
    } else if (!code) {
        code = cli_call_read(&call, words, n_words);
        if (!code)
            code = cli_task_guess(&call);
        if (!code)
            code = command->run(&call);
    }
    cli_call_close(&call);
    return code;
}

/* The words that are the first of a two-word verb, such as `generate`. */
static int is_family(const char *word)
{
    size_t length = strlen(word);
    for (int i = 0; cli_command_row(i); i++) {
        const char *name = cli_command_row(i)->name;
        if (strncmp(name, word, length) == 0 && name[length] == ' ')
            return 1;
    }
    return 0;
}

static int run(char *const *words, int n_words)
{
    int help = wants_help(words, n_words), used = 0;

    if (n_words > 0 && is_one_of(words[0], "help", "--help")) {
        help = 1;
        words++;
        n_words--;
        if (n_words == 1 && strcmp(words[0], "--tables") == 0)
            return cli_help_tables();
    }
    if (n_words == 0 || strcmp(words[0], "-h") == 0) {
        cli_help_commands("");
        return help ? CLI_OK : CLI_USAGE;
    }
    if (strcmp(words[0], "--version") == 0) {
        const char *plugin = nln_cluster_plugin();
        printf("nln %s\n%s%s\n", nln_version(), plugin ? "MPI: " : "MPI: there is no plug-in",
               plugin ? plugin : "");
        return CLI_OK;
    }
    const cli_command *command = cli_command_find(&used, words, n_words);
    if (command)
        return run_verb(command, words + used, n_words - used, help);
    if (is_family(words[0]) && (n_words == 1 || words[1][0] == '-')) {
        cli_help_commands(words[0]);
        return help ? CLI_OK : CLI_USAGE;
    }
    return unknown_verb(words, n_words);
}

static volatile sig_atomic_t reader_has_gone;

static void note_reader(int signal)
{
    (void)signal;
    reader_has_gone = 1;
}

int cli_main(char *const *words, int n_words)
{
    int code = run(words, n_words);

    errno = 0;
    if ((fflush(stdout) || ferror(stdout)) && !code) {
        if (reader_has_gone) /* it has what it wanted, as head has after ten lines */
            return 128 + SIGPIPE;
        code = cli_message_failed("cannot write the result: %s",
                                  errno ? strerror(errno) : "standard output is not writable");
    }
    return code;
}

/* The verbs whose work all ranks of a job share; the others are those of rank 0 alone. */
static int is_shared(const cli_command *command)
{
    int (*const shared[])(const cli_call *) = {cli_train,     cli_evaluate,    cli_predict,
                                               cli_recommend, cli_bench_train, cli_tune,
                                               cli_reproduce, cli_compare};
    for (size_t i = 0; command && i < sizeof shared / sizeof *shared; i++)
        if (command->run == shared[i])
            return 1;
    return 0;
}

/* The rank as which mpirun started this process, or NULL if nothing of the kind did. */
static const char *rank_of_process(void)
{
    const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    const char *wish = getenv("NLN_CLUSTER"), *rank = NULL;
    for (size_t i = 0; !rank && i < sizeof names / sizeof *names; i++)
        rank = getenv(names[i]);
    return wish && strcmp(wish, "off") == 0 ? NULL : rank;
}

/* A process that mpirun started joins the others, if the verb is shared. */
static int run_ranks(char *const *words, int n_words)
{
    nln_error err = {0};
    int used;
    const char *rank = rank_of_process();
    if (rank)
        setenv("NO_COLOR", "1", 1); /* mpirun gives a rank a terminal even where its own output has
                                       none */
    if (!is_shared(cli_command_find(&used, words, n_words))) {
        if (rank && strcmp(rank, "0") != 0)
            return CLI_OK;
        setenv("NLN_CLUSTER", "off", 1); /* for the processes that it starts */
        return cli_main(words, n_words);
    }
    if (nln_cluster_join(&err))
        return cli_message_error(&err);
    if (nln_cluster_size() > 1)
        cli_message_join(nln_cluster_rank(), nln_cluster_host());
    if (!nln_cluster_is_watched())
        cli_message_say(CLI_OK,
                        "the ranks cannot reach rank 0 by TCP: a machine that fails is noticed "
                        "only when it does not answer (NLN_CLUSTER_TIMEOUT)");
    int code = cli_main(words, n_words);
    if (code && nln_cluster_size() > 1)
        nln_cluster_abort(NULL);
    nln_cluster_leave();
    return code;
}

int main(int argc, char **argv)
{
    /* A reader that goes away ends the output, and not a training that is still to be saved. */
    signal(SIGPIPE, note_reader);
    return run_ranks(argv + 1, argc > 0 ? argc - 1 : 0);
}
