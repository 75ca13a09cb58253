/* Everything that a model can be asked.  A model that was loaded answers with numbers or with a
 * sentence, whatever its file said. */
#ifndef NLN_TESTS_ASK_H
#define NLN_TESTS_ASK_H

#include <math.h>

#include "data/ratings.h"
#include "fuzz.h"

static inline void ask_about_expressions(const nln_model *model, double *p)
{
    const char *name = nln_model_variables(model) ? nln_model_variable(model, 0) : "T";
    char text[256];
    snprintf(text, sizeof text, "(%.60s & !%.60s) | !(F -> %.60s)", name, name, name);
    const char *const expressions[] = {"T & !F", text};
    for (int i = 0; i < 2; i++) {
        nln_error err = {0};
        nln_status status = nln_predict(p, model, expressions[i], &err);
        require_told(status, &err);
        require(status || (*p >= 0 && *p <= 1));
        err = (nln_error){0};
        status = nln_rank(p, model, expressions[i], &err);
        require_told(status, &err);
        for (size_t v = 0; !status && v < nln_model_variables(model); v++)
            require(p[v] >= 0 && p[v] <= 1);
    }
    nln_error err = {0};
    nln_status status = nln_solve(p, model, &err);
    require_told(status, &err);
    for (size_t v = 0; !status && v < nln_model_variables(model); v++)
        require(p[v] >= 0 && p[v] <= 1);
}

static inline void ask_about_history(const nln_model *model, const char *user,
                                     const nln_literal *history, size_t n_history)
{
    size_t n = nln_model_variables(model), n_found = 0;
    nln_recommendation *found = calloc(n + 1, sizeof *found);
    nln_reason *reasons = calloc(n_history + 1, sizeof *reasons);
    nln_explanation told = {.reasons = reasons};
    nln_error err = {0};
    require(found && reasons);
    nln_status status = nln_recommend(found, &n_found, n, model, user, history, n_history, 0, &err);
    require_told(status, &err);
    for (size_t i = 0; !status && i < n_found; i++)
        require(found[i].item < n && !(found[i].probability < 0) && !(found[i].probability > 1));
    err = (nln_error){0};
    status = nln_explain(&told, model, user, history, n_history, 0, &err);
    require_told(status, &err);
    require(status || told.n <= n_history);
    free(found);
    free(reasons);
}

/* The first user that the file may have, by the name that the seeds have, and an unknown one. */
static inline void ask_about_items(const nln_model *model)
{
    static const char *const users[] = {"ann", "nobody"};
    size_t n = nln_model_variables(model);
    nln_literal some[3] = {{0, 1, 0}, {n / 2, 0, 0}, {n, 1, 0}};
    for (int i = 0; i < 2; i++) {
        nln_literal *history = NULL;
        size_t n_history = 0;
        nln_error err = {0};
        nln_status status = nln_model_history(&history, &n_history, model, users[i], &err);
        require_told(status, &err);
        ask_about_history(model, users[i], history, n_history);
        nln_free(history);
    }
    ask_about_history(model, NULL, NULL, 0);
    ask_about_history(model, "ann", some, 2);
    ask_about_history(model, "ann", some, 3);
}

/* Ratings of the users and items that the seeds have. */
static inline nln_ratings *ask_ratings(void)
{
    static const char text[] = "ann,tea,5\nann,cup,1\nbob,cup,4\nbob,tea,5\nann,pot,4\neve,pot,5\n";
    static nln_ratings *ratings;
    nln_ratings_rules rules = {.like_from = NAN, .least = NAN, .most = NAN};
    nln_ratings_report report = {0};
    nln_ratings_rows rows;
    nln_input *in = NULL;
    if (ratings)
        return ratings;
    require(!nln_ratings_rows_create(&rows, NULL) &&
            !nln_input_memory(&in, text, strlen(text), "", NULL));
    require(!nln_ratings_rows_read(&rows, &report, in, NLN_TRAIN, &rules, NULL));
    require(!nln_ratings_from_rows(&ratings, &report, &rows, 0, NULL));
    nln_input_close(in);
    return ratings;
}

static inline void ask_about_ratings(const nln_model *model)
{
    nln_metrics metrics;
    nln_error err = {0};
    require_told(nln_evaluate_ratings(&metrics, NULL, model, ask_ratings(), NLN_TRAIN, NULL, &err),
                 &err);
}

static inline void ask_about_tensors(const nln_model *model)
{
    nln_tensor_info info;
    size_t n = nln_model_tensor(NULL, model, 0);
    for (size_t i = 0; i < n; i++) {
        nln_model_tensor(&info, model, i);
        require(isfinite(info.norm) && (info.rows * info.columns == 0 || info.least <= info.most));
    }
    size_t length = nln_model_vector_length(model) * nln_model_variables(model);
    float *vectors = calloc(length + 1, sizeof *vectors);
    nln_error err = {0};
    require(vectors != NULL);
    require_told(nln_model_embedding(vectors, model, &err), &err);
    free(vectors);
}

static inline void ask_everything(const nln_model *model)
{
    double *p = calloc(nln_model_variables(model) + 1, sizeof *p);
    require(p != NULL);
    ask_about_tensors(model);
    ask_about_expressions(model, p);
    ask_about_items(model);
    ask_about_ratings(model);
    free(p);
}

/* Loads the file and asks the model.  However much the file promises, loading may take no more
 * memory than a few times what the file has, and gives all of it back when it fails. */
static inline void ask_file(const void *bytes, size_t n_bytes)
{
    nln_model *model = NULL;
    nln_error err = {0};
    ask_ratings();
    size_t before = nln_memory_used();
    const char *path = fuzz_file(bytes, n_bytes);
    nln_memory_limit(before + 100000 + 20 * n_bytes);
    nln_status status = nln_model_load(&model, path, &err);
    nln_memory_limit(0);
    require_told(status, &err);
    require((status == NLN_OK) == (model != NULL) && status != NLN_MEMORY);
    if (model)
        ask_everything(model);
    nln_model_free(model);
    require(nln_memory_used() == before);
}

#endif
