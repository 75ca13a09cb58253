/* Faults under options, expressions, data and ratings. */
#include "trials.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "scratch.h"
#include "tiny.h"

#define CORPUS      NLN_TEST_DATA "/fuzz/corpus/"
#define N_OF(table) (sizeof(table) / sizeof *(table))

/* ---- what is done ----------------------------------------------------------------------- */

/* Made before anything fails. */
static nln_options *for_logic, *for_ratings, *for_shop, *for_training;

static int make_options(void **state)
{
    (void)state;
    for_logic = tiny_options("generate logic", "variables=8 expressions=30");
    for_ratings = tiny_options("ratings", "split=random");
    for_shop = tiny_options("generate ratings", "users=12 items=12 ratings=60");
    for_training = tiny_options("train", "");
    return 0;
}

static int free_options(void **state)
{
    (void)state;
    nln_options_free(for_logic);
    nln_options_free(for_ratings);
    nln_options_free(for_shop);
    nln_options_free(for_training);
    return 0;
}

static nln_status set_options(const char *command, nln_error *err)
{
    nln_options *o = NULL;
    nln_status status = nln_options_create(&o, command, err);
    if (status)
        assert_null(o);
    if (!status)
        status = nln_options_set(o, "seed", "7", err);
    nln_options_free(o);
    return status;
}

static nln_status read_options(const char *path, nln_error *err)
{
    return nln_options_read(for_training, path, err);
}

static nln_status generate(const char *folder, nln_error *err)
{
    nln_data *data = NULL;
    nln_status status = nln_data_generate(&data, for_logic, err);
    if (status)
        assert_null(data);
    if (!status && folder)
        status = nln_data_write(data, folder, err);
    nln_data_free(data);
    return status;
}

static nln_status read_data(const char *folder, nln_error *err)
{
    nln_data *data = NULL;
    nln_status status = nln_data_read(&data, folder, err);
    if (status)
        assert_null(data);
    nln_data_free(data);
    return status;
}

static nln_status read_titles(const char *path, nln_error *err)
{
    nln_titles *titles = NULL;
    nln_status status = nln_titles_read(&titles, path, err);
    if (status)
        assert_null(titles);
    nln_titles_free(titles);
    return status;
}

static const char *write_to; /* a folder for what was read, or NULL */

static nln_status read_ratings(const char *path, nln_error *err)
{
    nln_ratings *ratings = NULL;
    nln_ratings_report report;
    nln_status status = nln_ratings_read(&ratings, &report, path, for_ratings, err);
    if (status)
        assert_null(ratings);
    if (!status && write_to)
        status = nln_ratings_write(ratings, write_to, err);
    nln_ratings_free(ratings);
    return status;
}

static nln_status generate_ratings(const char *path, nln_error *err)
{
    char titles[512];
    snprintf(titles, sizeof titles, "%s-titles", path);
    return nln_ratings_generate(path, titles, for_shop, err);
}

/* ---- the files that are read ------------------------------------------------------------ */

/* A file of `name` in the folder, at the path that is returned, which stays. */
static const char *kept_path(const char *name)
{
    static char paths[64][512];
    static int next;
    char *path = paths[next++ % 64];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_folder, name);
    return path;
}

static const char *write_gzip(const char *name, const char *text)
{
    const char *path = kept_path(name);
    gzFile file = gzopen(path, "wb");
    gzputs(file, text);
    gzclose(file);
    return path;
}

static const char *write_zstd(const char *name, const char *text)
{
    char packed[4096];
    size_t n = ZSTD_compress(packed, sizeof packed, text, strlen(text), 3);
    assert_false(ZSTD_isError(n));
    scratch_bytes(name, packed, n);
    return kept_path(name);
}

static const char ratings_text[] = "u1\ti1\t5\t1\nu1\ti2\t1\t2\nu2\ti1\t4\t3\nu2\ti3\t5\t4\n"
                                   "u3\ti3\t2\t5\nu3\ti2\t5\t6\n";

/* ---- tests ------------------------------------------------------------------------------ */

/* Arrays of ratings that cannot be made smaller stay as large as they are. */
static int may_keep_room(const trial *t)
{
    return t->run == read_ratings;
}

static void memory_for_readers(void **state)
{
    (void)state;
    nln_error err = {0};
    tiny_need(generate(scratch_path("data"), &err), &err);
    trial trials[] = {
        {"options of generate", set_options, "generate logic"},
        {"options of training", set_options, "train"},
        {"generate logic", generate, NULL},
        {"data", read_data, kept_path("data")},
        {"movielens", read_ratings, CORPUS "ratings/movielens"},
        {"dat", read_ratings, CORPUS "ratings/dat"},
        {"csv", read_ratings, CORPUS "ratings/csv"},
        {"inter", read_ratings, CORPUS "ratings/inter"},
        {"rechorus", read_ratings, CORPUS "ratings/rechorus"},
        {"amazon", read_ratings, CORPUS "ratings/amazon"},
        {"split", read_ratings, CORPUS "ratings/split"},
        {"semicolons", read_ratings, CORPUS "ratings/semicolons"},
        {"pairs", read_ratings, CORPUS "ratings/pairs"},
        {"spaces", read_ratings, CORPUS "ratings/spaces"},
        {"gzip", read_ratings, write_gzip("gzip", ratings_text)},
        {"zstd", read_ratings, write_zstd("zstd", ratings_text)},
        {"titles csv", read_titles, CORPUS "titles/csv"},
        {"titles dat", read_titles, CORPUS "titles/dat"},
        {"titles item", read_titles, CORPUS "titles/item"},
        {"titles recbole", read_titles, CORPUS "titles/recbole"},
        {"titles two", read_titles, CORPUS "titles/two"},
    };
    for (size_t i = 0; i < N_OF(trials); i++)
        trials_each(&trials[i], FAULTS_MEMORY, NLN_MEMORY, may_keep_room(&trials[i]), NULL);
}

static const trial *files_read(size_t *n)
{
    static trial trials[6];
    nln_error err = {0};
    tiny_need(generate(scratch_path("data"), &err), &err);
    scratch_text("config", "seed = 3\nepochs = 2\n");
    trials[0] = (trial){"options", read_options, kept_path("config")};
    trials[1] = (trial){"data", read_data, kept_path("data")};
    trials[2] = (trial){"ratings", read_ratings, CORPUS "ratings/movielens"};
    trials[3] = (trial){"titles", read_titles, CORPUS "titles/two"};
    trials[4] = (trial){"gzip", read_ratings, write_gzip("gzip", ratings_text)};
    trials[5] = (trial){"zstd", read_ratings, write_zstd("zstd", ratings_text)};
    *n = N_OF(trials);
    return trials;
}

static void files_that_cannot_be_read(void **state)
{
    (void)state;
    size_t n;
    const trial *trials = files_read(&n);
    for (size_t i = 0; i < n; i++) {
        trials_each(&trials[i], FAULTS_READ, NLN_IO, 0, NULL);
        trials_each(&trials[i], FAULTS_OPEN, NLN_IO, 0, NULL);
        trials_each(&trials[i], FAULTS_TRUNCATE, NLN_IO, 1, NULL); /* The last read is the end. */
    }
}

/* A compressed file that ends early is damaged at every place but its two ends. */
static void compressed_files_that_are_cut(void **state)
{
    (void)state;
    const char *paths[] = {write_gzip("gzip", ratings_text), write_zstd("zstd", ratings_text)};
    for (int i = 0; i < 2; i++) {
        size_t n;
        char *bytes = scratch_read(&n, i ? "zstd" : "gzip");
        for (size_t length = 4; length < n; length++) {
            nln_error err = {0};
            scratch_bytes(i ? "zstd" : "gzip", bytes, length);
            assert_int_equal(read_ratings(paths[i], &err), NLN_FORMAT);
            assert_non_null(strstr(err.message, "damaged"));
            trials_failures++;
        }
        free(bytes);
    }
}

/* ---- what is written -------------------------------------------------------------------- */

static const char old_text[] = "this was here before\n";

/* Every file is the old one, or new and whole, which it must be where nothing was said to have
 * failed, and there are no others; all are old again then. */
static void expect_old_or_whole(const trial *t, const char *folder, const char *const *names, int n)
{
    char path[96];
    int n_files = -2;
    DIR *directory = opendir(folder);
    while (directory && readdir(directory))
        n_files++;
    closedir(directory);
    assert_int_equal(n_files, n);
    for (int i = 0; i < n; i++) {
        size_t size, whole_size;
        snprintf(path, sizeof path, "%s/%s", t->name, names[i]);
        char *text = scratch_read(&size, path);
        snprintf(path, sizeof path, "whole-%s/%s", t->name, names[i]);
        char *whole = scratch_read(&whole_size, path);
        assert_true((size == whole_size && memcmp(text, whole, size) == 0) ||
                    (trials_status && strcmp(text, old_text) == 0));
        free(text);
        free(whole);
        snprintf(path, sizeof path, "%s/%s", t->name, names[i]);
        scratch_text(path, old_text);
    }
}

static const char *const logic_files[] = {"train.tsv", "valid.tsv", "test.tsv", "variables.tsv"};
static const char *const shop_files[] = {"file", "file-titles"};

static void after_logic(const trial *t)
{
    expect_old_or_whole(t, t->settings, logic_files, 4);
}

static void after_split(const trial *t)
{
    expect_old_or_whole(t, write_to, logic_files, 3);
}

static void after_shop(const trial *t)
{
    expect_old_or_whole(t, scratch_path("shop"), shop_files, 2);
}

/* Old files in the folder of a trial. */
static const char *old_folder(const char *name, const char *const *names, int n)
{
    char path[96];
    mkdir(scratch_path(name), 0777);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", name, names[i]);
        scratch_text(path, old_text);
    }
    return kept_path(name);
}

static void fail_writing(const trial *t, void (*after)(const trial *t))
{
    static const faults_kind kinds[] = {FAULTS_WRITE, FAULTS_PIPE};
    for (size_t i = 0; i < N_OF(kinds); i++)
        trials_each(t, kinds[i], NLN_IO, 1, after);
    trials_each(t, FAULTS_OPEN, NLN_IO, 1, after);
    trials_each(t, FAULTS_MEMORY, NLN_MEMORY, may_keep_room(t), after);
}

static void full_disk_under_data(void **state)
{
    (void)state;
    nln_error err = {0};
    tiny_need(generate(scratch_path("whole-data"), &err), &err);
    trial t = {"data", generate, old_folder("data", logic_files, 4)};
    fail_writing(&t, after_logic);
}

static void full_disk_under_a_split(void **state)
{
    (void)state;
    nln_error err = {0};
    trial t = {"split", read_ratings, CORPUS "ratings/movielens"};
    write_to = kept_path("whole-split");
    tiny_need(read_ratings(t.settings, &err), &err);
    write_to = old_folder("split", logic_files, 3);
    fail_writing(&t, after_split);
    write_to = NULL;
}

static void full_disk_under_generated_ratings(void **state)
{
    (void)state;
    nln_error err = {0};
    mkdir(scratch_path("whole-shop"), 0777);
    tiny_need(generate_ratings(scratch_path("whole-shop/file"), &err), &err);
    old_folder("shop", shop_files, 2);
    trial t = {"shop", generate_ratings, kept_path("shop/file")};
    fail_writing(&t, after_shop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory_for_readers, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(files_that_cannot_be_read, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(compressed_files_that_are_cut, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(full_disk_under_data, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(full_disk_under_a_split, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(full_disk_under_generated_ratings, scratch_setup,
                                        scratch_teardown),
    };
    trials_fail_jansson(1);
    return trials_tell(cmocka_run_group_tests(tests, make_options, free_options));
}
