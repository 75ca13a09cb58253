/* What a scorer alone does with questions that a server was asked: scorer_alone MODEL HISTORIES
 * THREADS SECONDS.  A line of HISTORIES is a history: items between tabs, disliked ones with a !
 * before them.  Every thread asks one question after the other, for ten items, as a server does.
 * Prints answers a second and microseconds of processor time for each. */
#include <nln.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 100000, LONGEST = 64, K = 10 };

static nln_scorer *scorer;
static nln_question questions[MOST];
static size_t n_questions;
static double end;
static atomic_size_t answered;

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void read_histories(const nln_model *model, const char *path)
{
    static char line[1 << 16];
    FILE *file = fopen(path, "r");
    while (file && n_questions < MOST && fgets(line, sizeof line, file)) {
        nln_literal *history = calloc(LONGEST, sizeof *history);
        size_t n = 0;
        for (char *word = strtok(line, "\t\n"); word && n < LONGEST; word = strtok(NULL, "\t\n")) {
            int liked = word[0] != '!';
            if (!nln_model_find(&history[n].item, model, word + !liked, NULL))
                history[n++].liked = liked;
        }
        questions[n_questions++] = (nln_question){.history = history, .n_history = n, .k = K};
    }
    if (file)
        fclose(file);
}

static void *ask(void *context)
{
    nln_recommendation items[K];
    nln_error err = {0};
    for (size_t i = (size_t)(uintptr_t)context; now(CLOCK_MONOTONIC) < end; i++) {
        nln_answer answer = {.items = items};
        if (nln_scorer_recommend(&answer, scorer, &questions[i % n_questions], 1, 1, &err)) {
            fprintf(stderr, "%s\n", err.message);
            exit(1);
        }
        atomic_fetch_add(&answered, 1);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[64];
    nln_model *model = NULL;
    nln_error err = {0};
    int n = argc == 5 ? atoi(argv[3]) : 0;
    if (n < 1 || n > 64) {
        fputs("scorer_alone MODEL HISTORIES THREADS SECONDS\n", stderr);
        return 2;
    }
    if (nln_model_load(&model, argv[1], &err) || nln_scorer_create(&scorer, model, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    read_histories(model, argv[2]);
    if (!n_questions)
        return 1;
    double start = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
    end = start + atof(argv[4]);
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, ask, (void *)(uintptr_t)(i * 997));
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    double seconds = now(CLOCK_MONOTONIC) - start, count = (double)atomic_load(&answered);
    printf("%.0f %.2f\n", count / seconds, 1e6 * (now(CLOCK_PROCESS_CPUTIME_ID) - used) / count);
    return 0;
}
