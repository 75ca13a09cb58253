/* Gives a fuzz target the files of some folders, each once: the seeds of the fuzzers, and what
 * they found, as a test that needs no fuzzer. */
#include <dirent.h>

#include "fuzz.h"

/* The bytes lie in a block of exactly their size, so that one byte too many is seen. */
static int replay_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    long n = stream && !fseek(stream, 0, SEEK_END) ? ftell(stream) : -1;
    uint8_t *bytes = n >= 0 ? malloc((size_t)n + (n == 0)) : NULL;
    int ok =
        bytes && !fseek(stream, 0, SEEK_SET) && fread(bytes, 1, (size_t)n, stream) == (size_t)n;
    if (ok)
        LLVMFuzzerTestOneInput(bytes, (size_t)n);
    else
        perror(path);
    free(bytes);
    if (stream)
        fclose(stream);
    return ok;
}

/* How many files were replayed, or -1. */
static int replay_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    int n = directory ? 0 : -1;
    for (const struct dirent *item; n >= 0 && (item = readdir(directory));) {
        char path[4096];
        if (item->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
        n = replay_file(path) ? n + 1 : -1;
    }
    if (directory)
        closedir(directory);
    return n;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int n = replay_folder(argv[i]);
        printf("%s: %d files\n", argv[i], n);
        if (n <= 0)
            return 1;
    }
    return argc > 1 ? 0 : 2;
}
