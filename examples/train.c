/* Learns from a folder of labelled expressions: train DATA MODEL */
#include <nln.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    nln_error err = {0};
    nln_options *options = NULL;
    nln_data *data = NULL;
    nln_model *model = NULL;
    nln_report report = {0};

    if (argc == 3 && !nln_data_read(&data, argv[1], &err) &&
        !nln_options_create(&options, "train", &err) &&
        !nln_options_set(options, "epochs", "20", &err) &&
        !nln_train(&model, &report, data, options, NULL, &err) &&
        !nln_model_save(model, argv[2], &err))
        printf("accuracy %.3f of %zu expressions\n", report.test.accuracy, report.test.n);
    nln_model_free(model);
    nln_options_free(options);
    nln_data_free(data);
    if (err.status || argc != 3)
        fprintf(stderr, "train: %s\n", err.status ? err.message : "the usage is: train DATA MODEL");
    return err.status || argc != 3;
}
