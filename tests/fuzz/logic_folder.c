/* Any bytes as a folder of a data set: a line that begins with ">" names a file, and what follows
 * is in it.  What is read has a value or none for every variable, and once written it is read
 * as the same. */
#include "data/logic_data.h"
#include "fuzz.h"
#include "same_expr.h"

enum { MOST_FILES = 6, MOST_NAME = 64 };

static char given[64], written[64];

static void remove_folders(void)
{
    fuzz_empty(given);
    fuzz_empty(written);
    rmdir(given);
    rmdir(written);
}

static void make_folders(void)
{
    fuzz_folder(given);
    fuzz_folder(written);
    require(!atexit(remove_folders));
}

/* Writes the file whose name begins at `at`, unless no file can have that name; returns where
 * the next one begins. */
static const char *write_file(const char *at, const char *end)
{
    char path[256];
    const char *line = memchr(at, '\n', (size_t)(end - at)), *next;
    size_t n = line ? (size_t)(line - at) : (size_t)(end - at);
    const char *text = line ? line + 1 : end;
    for (next = text; next < end && !(*next == '>' && next[-1] == '\n');)
        next++;
    if (n == 0 || n > MOST_NAME || memchr(at, '/', n) || memchr(at, '\0', n))
        return next;
    snprintf(path, sizeof path, "%s/%.*s", given, (int)n, at);
    FILE *stream = fopen(path, "wb");
    if (stream) {
        fwrite(text, 1, (size_t)(next - text), stream);
        fclose(stream);
    }
    return next;
}

static void write_files(const uint8_t *bytes, size_t n_bytes)
{
    const char *at = (const char *)bytes, *end = at + n_bytes;
    for (int i = 0; i < MOST_FILES && at < end && *at == '>'; i++)
        at = write_file(at + 1, end);
}

static void require_same(const nln_data *a, const nln_data *b)
{
    size_t n = nln_data_variables(a);
    require(nln_data_variables(b) == n && !a->truth == !b->truth);
    require(!a->truth || !memcmp(a->truth, b->truth, n));
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        const nln_labelled *x = &a->split[s], *y = &b->split[s];
        require(x->exprs.n == y->exprs.n);
        require(nln_data_true(a, (nln_split)s) == nln_data_true(b, (nln_split)s));
        for (size_t i = 0; i < x->exprs.n; i++)
            require(same_expr(nln_exprs_get(&x->exprs, i), nln_exprs_get(&y->exprs, i)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    nln_data *data = NULL, *again = NULL;
    nln_error err = {0};
    size_t before = nln_memory_used();
    if (!given[0])
        make_folders();
    write_files(bytes, n_bytes);
    nln_status status = nln_data_read(&data, given, &err);
    require_told(status, &err);
    fuzz_empty(given);
    if (!status) {
        require(nln_data_write(data, written, &err) == NLN_OK);
        require(nln_data_read(&again, written, &err) == NLN_OK);
        require_same(data, again);
    }
    nln_data_free(data);
    nln_data_free(again);
    require(nln_memory_used() == before);
    return 0;
}
