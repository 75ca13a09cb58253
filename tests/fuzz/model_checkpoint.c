/* A checkpoint with some bytes changed: three bytes of the input are where in the file, and what
 * is changed there.  A training goes on from it or refuses it with a sentence.  The file is written
 * at the start by a training that is stopped, so that it is always one of this version. */
#include "fuzz.h"
#include "tiny.h"

static char folder[64], path[128];
static uint8_t *whole;
static size_t n_whole;
static nln_data *data;
static nln_options *options;

static int stop_in_second_epoch(void *context, const nln_progress *progress)
{
    (void)context;
    return progress->epoch == 2;
}

static void remove_folder(void)
{
    fuzz_empty(folder);
    rmdir(folder);
    nln_data_free(data);
    nln_options_free(options);
    free(whole);
}

static void make_checkpoint(void)
{
    nln_model *model = NULL;
    nln_watch watch = {.progress = stop_in_second_epoch, .checkpoint = path};
    fuzz_folder(folder);
    snprintf(path, sizeof path, "%s/checkpoint", folder);
    data = tiny_data("variables=4 expressions=20");
    options = tiny_options("train", "dimension=2 members=1 orders=1 threads=1 epochs=2 batch=8 "
                                    "average=0.5 embedding=arc law-weight=0");
    require(nln_train(&model, NULL, data, options, &watch, NULL) == NLN_CANCELLED);
    FILE *stream = fopen(path, "rb");
    whole = malloc(1 << 16);
    require(stream && whole);
    n_whole = fread(whole, 1, 1 << 16, stream);
    require(feof(stream) && !fclose(stream) && !atexit(remove_folder));
}

static void write_changed(const uint8_t *edits, size_t n)
{
    static uint8_t changed[1 << 16];
    FILE *stream = fopen(path, "wb");
    memcpy(changed, whole, n_whole);
    for (size_t i = 0; i + 3 <= n; i += 3)
        changed[((size_t)edits[i] << 8 | edits[i + 1]) % n_whole] ^= edits[i + 2];
    require(stream && fwrite(changed, 1, n_whole, stream) == n_whole && !fclose(stream));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    nln_model *model = NULL;
    nln_error err = {0};
    nln_watch watch = {.checkpoint = path, .resume = 1};
    if (!whole)
        make_checkpoint();
    size_t before = nln_memory_used();
    write_changed(bytes, n_bytes);
    nln_status status = nln_train(&model, NULL, data, options, &watch, &err);
    require_told(status, &err);
    require((status == NLN_OK) == (model != NULL));
    nln_model_free(model);
    require(nln_memory_used() == before);
    return 0;
}
