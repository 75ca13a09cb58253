/* The probability that each expression is true: predict MODEL EXPRESSION... */
#include <nln.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    nln_error err = {0};
    nln_model *model = NULL;
    double p = 0;

    if (!nln_model_load(&model, argc > 1 ? argv[1] : "", &err))
        for (int i = 2; i < argc && !nln_predict(&p, model, argv[i], &err); i++)
            printf("%.3f %s\n", p, argv[i]);
    nln_model_free(model);
    if (err.status)
        fprintf(stderr, "predict: %s\n", err.message);
    return err.status != NLN_OK;
}
