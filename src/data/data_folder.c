#include "data/data_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

static const struct part_row {
    const char *file;     /* the name when it is written */
    const char *words[3]; /* the endings of the name when it is read */
    const char *expected; /* the same for messages */
} parts[NLN_PARTS] = {
    [NLN_TRAIN] = {"train.tsv", {"train"}, "train"},
    [NLN_VALID] = {"valid.tsv", {"valid", "validation", "dev"}, "valid, validation or dev"},
    [NLN_TEST] = {"test.tsv", {"test"}, "test"},
    [NLN_PART_VARIABLES] = {"variables.tsv", {"variables", "variable"}, "variables or variable"},
    [NLN_PART_FACTS] = {"facts.tsv", {"facts"}, "facts"},
    [NLN_PART_RULES] = {"rules.tsv", {"rules"}, "rules"},
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

/* The part that a file of this name holds, or NLN_PARTS: the name is one of the words or ends in
 * it after one of . - _ and is not hidden.  A table with "variable" anywhere in its name and no
 * split at its end holds the variables. */
static int part_of(const char *name)
{
    size_t whole = without_ending(name, strlen(name), packed_endings);
    size_t n = without_ending(name, whole, table_endings);
    if (name[0] == '.')
        return NLN_PARTS;
    for (int i = 0; i < NLN_PARTS; i++)
        for (int j = 0; j < 3 && parts[i].words[j]; j++) {
            const char *word = parts[i].words[j];
            size_t length = strlen(word);
            if (n >= length && !memcmp(name + n - length, word, length) &&
                (n == length || strchr(".-_", name[n - length - 1])))
                return i;
        }
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

nln_status nln_folder_make(const char *path, nln_error *err)
{
    if (!mkdir(path, 0777) || errno == EEXIST)
        return NLN_OK;
    return nln_error_set(err, NLN_IO, "cannot create the folder '%s': %s", path, strerror(errno));
}

nln_status nln_folder_create(nln_output **out, const char *folder, int part, nln_error *err)
{
    *out = NULL;
    char *path = join(folder, parts[part].file);
    nln_status status = path ? nln_output_open(out, path, err) : nln_error_memory(err);
    nln_free(path);
    return status;
}

int nln_folder_exists(const char *path)
{
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

static nln_status add_name(nln_folder *folder, const char *name, nln_error *err)
{
    int i = part_of(name);
    char *path = i < NLN_PARTS ? join(folder->path, name) : NULL;
    if (i == NLN_PARTS || !path)
        return i == NLN_PARTS ? NLN_OK : nln_error_memory(err);
    int skip = nln_folder_exists(path);
    nln_free(path);
    if (skip)
        return NLN_OK;
    const char *other = folder->names[i];
    if (!other)
        return (folder->names[i] = nln_memory_copy(name)) ? NLN_OK : nln_error_memory(err);
    int sorted = strcmp(other, name) < 0;
    return nln_error_set(
        err, NLN_INVALID, "both '%s' and '%s' of '%s' could be the %s file; remove one",
        sorted ? other : name, sorted ? name : other, folder->path, parts[i].words[0]);
}

nln_status nln_folder_list(nln_folder *out, const char *path, nln_error *err)
{
    *out = (nln_folder){.path = nln_memory_copy(path)};
    DIR *directory = out->path ? opendir(path) : NULL;
    nln_status status = NLN_OK;
    if (!out->path)
        status = nln_error_memory(err);
    else if (!directory)
        status = nln_error_set(err, NLN_IO,
                               "cannot open the folder '%s': %s; a data set is a folder with "
                               "train, valid and test files",
                               path, strerror(errno));
    while (!status) {
        errno = 0;
        const struct dirent *item = readdir(directory);
        if (item)
            status = add_name(out, item->d_name, err);
        else if (errno)
            status = nln_error_set(err, NLN_IO, "cannot read the folder '%s': %s", path,
                                   strerror(errno));
        else
            break;
    }
    if (directory)
        closedir(directory);
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
