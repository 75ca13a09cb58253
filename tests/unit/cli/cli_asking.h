/* A small model of ratings, and command lines of `nln recommend` that ask it. */
#ifndef CLI_ASKING_H
#define CLI_ASKING_H

#include "cli_test.h"
#include "command_line.h"

#define TITLES "tea\tGreen Tea\njam\tPlum, and Apple\nham\tHam\n"

/* Writes the files `model` and `titles`, for ann, who likes tea and dislikes ham, and for bob. */
static inline int make_model(void **state)
{
    nln_options *reading = NULL, *training = NULL;
    nln_ratings *ratings = NULL;
    nln_ratings_report report;
    nln_model *model = NULL;
    int code = enter_folder(state);

    write_file("ratings", "ann\ttea\t5\t1\nann\tham\t1\t2\nbob\tjam\t4\t1\nbob\ttea\t5\t2\n"
                          "bob\tham\t4\t3\n");
    write_file("titles", TITLES);
    code = code || nln_options_create(&reading, "ratings", NULL) ||
           nln_options_set(reading, "split", "none", NULL) ||
           nln_options_create(&training, "train", NULL) ||
           nln_options_set(training, "task", "topk", NULL) ||
           nln_options_set(training, "model", "popularity", NULL) ||
           nln_ratings_read(&ratings, &report, "ratings", reading, NULL) ||
           nln_train_ratings(&model, NULL, ratings, training, NULL, NULL) ||
           nln_model_save(model, "model", NULL);
    nln_model_free(model);
    nln_ratings_free(ratings);
    nln_options_free(training);
    nln_options_free(reading);
    return code;
}

/* Reads `nln recommend model WORD...`, ended by NULL. */
static inline void open_asking(cli_call *call, char *const *more)
{
    static char name[] = "recommend", model[] = "model";
    char *verb[] = {name}, *words[16] = {model};
    int n = 1, used;

    while (more[n - 1]) {
        words[n] = more[n - 1];
        n++;
    }
    assert_int_equal(cli_call_open(call, cli_command_find(&used, verb, 1)), 0);
    assert_int_equal(cli_call_read(call, words, n), 0);
}

#endif
