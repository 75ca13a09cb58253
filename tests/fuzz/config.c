/* Any bytes as a config file for training.  What is accepted is within the ranges of the table of
 * options; what is refused has a sentence with its place in the file. */
#include "fuzz.h"
#include "models/training_options.h"

static void check_values(const nln_options *options)
{
    int n_rows;
    const nln_option *rows = nln_options_table(&n_rows, options);
    for (int i = 0; i < n_rows; i++) {
        double x = nln_options_number(options, rows[i].name);
        require(nln_options_text(options, rows[i].name) != NULL);
        if (rows[i].type == NLN_OPTION_INT || rows[i].type == NLN_OPTION_REAL)
            require(x >= rows[i].least && x <= rows[i].most);
        if (rows[i].type == NLN_OPTION_FLAG)
            require(x == 0 || x == 1);
    }
}

static void check_config(nln_options *options)
{
    nln_config config;
    nln_error err = {0};
    nln_status status = nln_config_read(&config, options, &err);
    require_told(status, &err);
    require(status || (config.hidden > 0 && config.threads > 0));
    check_values(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    nln_options *options = NULL;
    nln_error err = {0};
    size_t before = nln_memory_used();
    const char *path = fuzz_file(bytes, n_bytes);
    require(nln_options_create(&options, "train", NULL) == NLN_OK);
    nln_status status = nln_options_read(options, path, &err);
    require_told(status, &err);
    require(!status || !strcmp(err.file, path));
    /* Only a file that is no text at all has no line. */
    require(!status || err.line > 0 || !strncmp(err.message, "this is ", 8));
    check_values(options);
    if (!status)
        check_config(options);
    nln_options_free(options);
    require(nln_memory_used() == before);
    return 0;
}
