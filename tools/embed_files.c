/* embed_files.c: files as a table in C, for src/serve/page_files.h; run while building.
 *
 *     embed_files OUT FOLDER FILE...
 *
 * OUT is the file to write, and FILEs are names below FOLDER.  Each becomes its bytes, the same
 * compressed by gzip, and an ETag that changes with them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct embedded {
    const char *name;
    unsigned char *bytes, *gzip;
    size_t size, gzip_size;
} embedded;

static void fail(const char *name, const char *what)
{
    fprintf(stderr, "embed_files: %s: %s\n", name, what);
    exit(1);
}

static void *allocate(size_t size)
{
    void *block = malloc(size ? size : 1);

    if (!block)
        fail("memory", "out of memory");
    return block;
}

static const char *content_type(const char *name)
{
    static const struct {
        const char *ending, *type;
    } table[] = {
        {".html", "text/html; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".svg", "image/svg+xml; charset=utf-8"},
        {".png", "image/png"},
        {".txt", "text/plain; charset=utf-8"},
    };
    const char *ending = strrchr(name, '.');

    for (size_t i = 0; ending && i < sizeof table / sizeof table[0]; i++)
        if (!strcmp(ending, table[i].ending))
            return table[i].type;
    fail(name, "its ending is not in the table of content types");
    return NULL;
}

static void read_file(embedded *file, const char *folder)
{
    size_t room = 1 << 16;
    char *path = allocate(strlen(folder) + strlen(file->name) + 2);
    FILE *stream = NULL;

    sprintf(path, "%s/%s", folder, file->name);
    if (!(stream = fopen(path, "rb")))
        fail(path, "cannot be opened");
    file->bytes = allocate(room);
    while (!feof(stream)) {
        file->size += fread(file->bytes + file->size, 1, room - file->size, stream);
        if (ferror(stream))
            fail(path, "cannot be read");
        if (file->size == room && !(file->bytes = realloc(file->bytes, room *= 2)))
            fail(path, "out of memory");
    }
    fclose(stream);
    free(path);
}

/* A gzip member without a name and a time, so that the same files give the same program. */
static void compress_file(embedded *file)
{
    z_stream z = {0};

    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        fail(file->name, "cannot be compressed");
    file->gzip_size = deflateBound(&z, (uLong)file->size);
    file->gzip = allocate(file->gzip_size);
    z.next_in = file->bytes;
    z.avail_in = (uInt)file->size;
    z.next_out = file->gzip;
    z.avail_out = (uInt)file->gzip_size;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END)
        fail(file->name, "cannot be compressed");
    file->gzip_size = z.total_out;
    deflateEnd(&z);
}

/* FNV-1a of the bytes. */
static uint64_t fingerprint(const embedded *file)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < file->size; i++)
        hash = (hash ^ file->bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static void write_bytes(const char *prefix, size_t index, const unsigned char *bytes, size_t size)
{
    printf("static const unsigned char %s_%zu[] = {", prefix, index);
    for (size_t i = 0; i < size; i++)
        printf("%s%u,", i % 24 ? "" : "\n", bytes[i]);
    printf("%s};\n", size ? "\n" : "0");
}

static void write_row(const embedded *file, size_t index)
{
    int packed = file->gzip_size < file->size;

    printf("    {\"/%s\", \"%s\", \"W/\\\"%016llx\\\"\", bytes_%zu, %zu, ",
           strcmp(file->name, "index.html") ? file->name : "", content_type(file->name),
           (unsigned long long)fingerprint(file), index, file->size);
    if (packed)
        printf("gzip_%zu, %zu},\n", index, file->gzip_size);
    else
        printf("0, 0},\n");
}

/* In the order of the paths, where "/" is first. */
static int compare(const void *a, const void *b)
{
    const char *x = ((const embedded *)a)->name, *y = ((const embedded *)b)->name;

    return strcmp(strcmp(x, "index.html") ? x : "", strcmp(y, "index.html") ? y : "");
}

int main(int argc, char **argv)
{
    size_t n = argc > 3 ? (size_t)argc - 3 : 0;
    embedded *files = allocate(n * sizeof *files);

    if (!n)
        fail("usage", "embed_files OUT FOLDER FILE...");
    for (size_t i = 0; i < n; i++) {
        files[i] = (embedded){argv[i + 3], NULL, NULL, 0, 0};
        read_file(&files[i], argv[2]);
        compress_file(&files[i]);
    }
    qsort(files, n, sizeof *files, compare);
    if (!freopen(argv[1], "w", stdout))
        fail(argv[1], "cannot be written");
    printf("#include \"serve/page_files.h\"\n\n");
    for (size_t i = 0; i < n; i++) {
        write_bytes("bytes", i, files[i].bytes, files[i].size);
        if (files[i].gzip_size < files[i].size)
            write_bytes("gzip", i, files[i].gzip, files[i].gzip_size);
    }
    printf("\nconst nln_page_file nln_page_files[] = {\n");
    for (size_t i = 0; i < n; i++)
        write_row(&files[i], i);
    printf("    {0, 0, 0, 0, 0, 0, 0},\n};\n");
    for (size_t i = 0; i < n; i++) {
        free(files[i].bytes);
        free(files[i].gzip);
    }
    free(files);
    if (fflush(stdout) || ferror(stdout))
        fail(argv[1], "cannot be written");
    return 0;
}
