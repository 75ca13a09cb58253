/* The five best items for a user who likes the given items: recommend MODEL ITEM... */
#include <nln.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    nln_error err = {0};
    nln_model *model = NULL;
    nln_literal history[100] = {0};
    nln_recommendation best[5];
    size_t n = 0, n_best = 0;

    nln_model_load(&model, argc > 1 ? argv[1] : "", &err);
    for (int i = 2; i < argc && n < 100 && !err.status; i++, n++) {
        history[n].liked = 1;
        nln_model_find(&history[n].item, model, argv[i], &err);
    }
    if (!err.status)
        nln_recommend(best, &n_best, 5, model, NULL, history, n, 0, &err);
    for (size_t i = 0; i < n_best; i++)
        printf("%s %.3f\n", nln_model_variable(model, best[i].item), best[i].score);
    nln_model_free(model);
    if (err.status)
        fprintf(stderr, "recommend: %s\n", err.message);
    return err.status != NLN_OK;
}
