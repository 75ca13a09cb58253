#include "data/data_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

static const struct part_row {
    const char *file;     /* what nln_data_write calls it */
    const char *words[3]; /* what the name may end in */
    const char *expected; /* the same for messages */
} parts[NLN_PARTS] = {
    [NLN_TRAIN] = {"train.tsv", {"train"}, "train"},
    [NLN_VALID] = {"valid.tsv", {"valid", "validation", "dev"}, "valid, validation or dev"},
    [NLN_TEST] = {"test.tsv", {"test"}, "test"},
    [NLN_PART_VARIABLES] = {"variables.tsv", {"variables", "variable"}, "variables or variable"},
};

static const char *const packed_endings[] = {".gz", ".zst", NULL};
static const char *const table_endings[] = {".tsv", ".csv", ".txt", ".inter", ".dat", NULL};

/* The length without the first of the endings that name[0..n) has. */
static size_t without_ending(const char *name, size_t n, const char *const *endings)
{
    for (; *endings; endings++) {
        size_t length = strlen(*endings);
        if (n > length && !memcmp(name + n - length, *endings, length))
            return n - length;
    }
    return n;
}

/* Whether name[0..n) is the word or ends in it after one of . - _ */
static int ends_in_word(const char *name, size_t n, const char *word)
{
    size_t length = strlen(word);
    if (n < length || memcmp(name + n - length, word, length))
        return 0;
    return n == length || strchr(".-_", name[n - length - 1]) != NULL;
}

/* The part that a file of this name holds, or NLN_PARTS.  Hidden files hold
 * none; a table with "variable" anywhere in its name and no split at its end
 * holds the variables. */
static int part_of(const char *name)
{
    size_t whole = without_ending(name, strlen(name), packed_endings);
    size_t n = without_ending(name, whole, table_endings);
    if (name[0] == '.')
        return NLN_PARTS;
    for (int i = 0; i < NLN_PARTS; i++)
        for (int j = 0; j < 3 && parts[i].words[j]; j++)
            if (ends_in_word(name, n, parts[i].words[j]))
                return i;
    return n < whole && strstr(name, "variable") ? NLN_PART_VARIABLES : NLN_PARTS;
}

static char *join(const char *folder, const char *name)
{
    size_t n = strlen(folder) + strlen(name) + 2;
    char *path = nln_memory_take(n);
    if (path)
        snprintf(path, n, "%s/%s", folder, name);
    return path;
}

char *nln_folder_path(const char *folder, int part)
{
    return join(folder, parts[part].file);
}

int nln_folder_exists(const char *path)
{
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

static nln_status add_name(nln_folder *folder, const char *name, nln_error *err)
{
    int i = part_of(name);
    if (i == NLN_PARTS)
        return NLN_OK;
    char *path = join(folder->path, name);
    if (!path)
        return nln_error_memory(err);
    int skip = nln_folder_exists(path);
    nln_free(path);
    if (skip)
        return NLN_OK;
    const char *other = folder->names[i];
    if (other) {
        int sorted = strcmp(other, name) < 0;
        return nln_error_set(
            err, NLN_INVALID, "both '%s' and '%s' of '%s' could be the %s file; remove one",
            sorted ? other : name, sorted ? name : other, folder->path, parts[i].words[0]);
    }
    folder->names[i] = nln_memory_copy(name);
    return folder->names[i] ? NLN_OK : nln_error_memory(err);
}

static nln_status add_names(nln_folder *folder, nln_error *err)
{
    DIR *directory = opendir(folder->path);
    if (!directory)
        return nln_error_set(err, NLN_IO,
                             "cannot open the folder '%s': %s; a data set is a folder with train, "
                             "valid and test files",
                             folder->path, strerror(errno));
    nln_status status = NLN_OK;
    for (;;) {
        errno = 0;
        const struct dirent *item = readdir(directory);
        if (!item && errno)
            status = nln_error_set(err, NLN_IO, "cannot read the folder '%s': %s", folder->path,
                                   strerror(errno));
        if (!item || (status = add_name(folder, item->d_name, err)))
            break;
    }
    closedir(directory);
    return status;
}

nln_status nln_folder_list(nln_folder *out, const char *path, nln_error *err)
{
    *out = (nln_folder){.path = nln_memory_copy(path)};
    nln_status status = out->path ? add_names(out, err) : nln_error_memory(err);
    if (status)
        nln_folder_free(out);
    return status;
}

void nln_folder_free(nln_folder *folder)
{
    for (int i = 0; i < NLN_PARTS; i++)
        nln_free(folder->names[i]);
    nln_free(folder->path);
    *folder = (nln_folder){NULL, {NULL}};
}

nln_status nln_folder_need(const nln_folder *folder, int part, nln_error *err)
{
    if (folder->names[part])
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID,
                         "'%s' has no %s file: expected a name that ends in %s, then .tsv, .csv, "
                         ".txt, .inter, .dat or nothing, then .gz, .zst or nothing",
                         folder->path, parts[part].words[0], parts[part].expected);
}

nln_status nln_folder_open(nln_input **in, const nln_folder *folder, int part, nln_error *err)
{
    *in = NULL;
    nln_status status = nln_folder_need(folder, part, err);
    if (status)
        return status;
    char *path = join(folder->path, folder->names[part]);
    status = path ? nln_input_open(in, path, err) : nln_error_memory(err);
    nln_free(path);
    return status;
}
