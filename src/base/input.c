#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/array.h"
#include "base/memory.h"

enum { RAW_BYTES = 1 << 17, TEXT_BYTES = 1 << 17, LINE_LIMIT = 64 << 20 };

typedef enum codec { PLAIN, GZIP, ZSTD } codec;

/* Bytes flow from the file into `raw`, through the codec into `text`, and leave
 * as lines.  raw[raw_begin, raw_end) and text[begin, end) are unused. */
struct nln_input {
    char *path;
    int fd;                   /* -1 when reading from memory */
    const unsigned char *raw; /* `buffer`, or the caller's memory */
    unsigned char *buffer;    /* [RAW_BYTES] */
    size_t raw_begin, raw_end;
    int raw_ended; /* the file has no more bytes than raw holds */
    off_t missing; /* bytes still to come, by the size of the plain file when it was opened */
    codec codec;
    int whole; /* the decoder stands between two compressed streams */
    z_stream gzip;
    ZSTD_DStream *zstd;
    char *text;
    size_t room, begin, end;
    int ended; /* everything was decoded */
    long line;
};

static nln_status damaged(const nln_input *in, const char *reason, nln_error *err)
{
    return nln_error_at(err, NLN_FORMAT, in->path, in->line + 1, 0,
                        "the compressed data are damaged (%s); fetch or compress the file again",
                        reason);
}

static nln_status read_raw(nln_input *in, nln_error *err)
{
    if (in->fd < 0) {
        in->raw_ended = 1;
        return NLN_OK;
    }
    if (in->raw_begin == in->raw_end)
        in->raw_begin = in->raw_end = 0;
    ssize_t n;
    do
        n = read(in->fd, in->buffer + in->raw_end, RAW_BYTES - in->raw_end);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return nln_error_set(err, NLN_IO, "cannot read '%s': %s", in->path, strerror(errno));
    in->raw_end += (size_t)n;
    in->raw_ended = n == 0;
    in->missing -= n;
    if (in->raw_ended && in->missing > 0)
        return nln_error_set(err, NLN_IO, "cannot read '%s': it became shorter while it was read",
                             in->path);
    return NLN_OK;
}

/* ---- decoders: each takes bytes from raw and adds some to text[end, room - 1) */

static nln_status decode_plain(nln_input *in, nln_error *err)
{
    (void)err;
    size_t n = in->raw_end - in->raw_begin, free_room = in->room - 1 - in->end;
    if (n > free_room)
        n = free_room;
    memcpy(in->text + in->end, in->raw + in->raw_begin, n);
    in->raw_begin += n;
    in->end += n;
    return NLN_OK;
}

static nln_status decode_gzip(nln_input *in, nln_error *err)
{
    z_stream *z = &in->gzip;
    uInt given =
        (uInt)(in->raw_end - in->raw_begin <= RAW_BYTES ? in->raw_end - in->raw_begin : RAW_BYTES);
    if (in->whole && inflateReset(z) != Z_OK)
        return nln_error_memory(err);
    z->next_in = (z_const Bytef *)(in->raw + in->raw_begin);
    z->avail_in = given;
    z->next_out = (Bytef *)in->text + in->end;
    z->avail_out = TEXT_BYTES;
    int result = inflate(z, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR)
        return nln_error_memory(err);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return damaged(in, z->msg ? z->msg : "not a gzip stream", err);
    in->whole = result == Z_STREAM_END;
    in->raw_begin += given - z->avail_in;
    in->end += TEXT_BYTES - z->avail_out;
    return NLN_OK;
}

static nln_status decode_zstd(nln_input *in, nln_error *err)
{
    ZSTD_inBuffer from = {in->raw + in->raw_begin, in->raw_end - in->raw_begin, 0};
    ZSTD_outBuffer to = {in->text + in->end, in->room - 1 - in->end, 0};
    size_t result = ZSTD_decompressStream(in->zstd, &to, &from);
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        return nln_error_memory(err);
    if (ZSTD_isError(result))
        return damaged(in, ZSTD_getErrorName(result), err);
    in->whole = result == 0;
    in->raw_begin += from.pos;
    in->end += to.pos;
    return NLN_OK;
}

static nln_status (*const decoders[])(nln_input *, nln_error *) = {
    [PLAIN] = decode_plain, [GZIP] = decode_gzip, [ZSTD] = decode_zstd};

/* Moves the unused text to the front and adds at least one byte behind it, or sets `ended`.  One
 * byte of room stays for the NUL after a last line without newline.  A decoder may still hold text
 * when its last byte of input is gone, so it is asked before the end of the file is believed. */
static nln_status more_text(nln_input *in, nln_error *err)
{
    nln_status status = NLN_OK;
    if (in->begin > 0)
        memmove(in->text, in->text + in->begin, in->end - in->begin);
    in->end -= in->begin;
    in->begin = 0;
    if (!NLN_ARRAY_RESERVE(in->text, in->room, in->end + TEXT_BYTES + 1))
        return nln_error_memory(err);
    for (size_t before = in->end; !status && in->end == before;) {
        if (in->raw_begin == in->raw_end && !in->raw_ended && (status = read_raw(in, err)))
            return status;
        int empty = in->raw_begin == in->raw_end && in->raw_ended;
        if (empty && (in->codec == PLAIN || in->whole)) {
            in->ended = 1;
            return NLN_OK;
        }
        status = decoders[in->codec](in, err);
        if (!status && empty && in->end == before && !in->whole)
            return damaged(in, "the file ends too early", err);
    }
    return status;
}

/* ---- opening ------------------------------------------------------------ */

static const struct magic {
    codec codec;
    size_t n;
    unsigned char first_mask;
    unsigned char bytes[4];
} magics[] = {
    {GZIP, 2, 0xff, {0x1f, 0x8b}},
    {ZSTD, 4, 0xff, {0x28, 0xb5, 0x2f, 0xfd}},
    {ZSTD, 4, 0xf0, {0x50, 0x2a, 0x4d, 0x18}}, /* a skippable frame, as pzstd writes first */
};

/* Files that people have and that are not read, by their first bytes, with the way out. */
static const struct foreign {
    const char *bytes, *what, *way_out;
} foreign[] = {
    {"\xfd"
     "7zXZ",
     "compressed with xz", "unpack it with xz -d, or give - and pipe what xzcat prints"},
    {"BZh", "compressed with bzip2",
     "unpack it with bunzip2, or give - and pipe what bzcat prints"},
    {"PK\x03\x04", "a zip archive (or a spreadsheet)",
     "unpack it with unzip, or save the sheet as CSV"},
    {"PAR1", "a Parquet file",
     "write it as CSV first, as pandas.read_parquet(FILE).to_csv(OUT, index=False) does"},
    {"\x89HDF", "an HDF5 file", "write its table as CSV first"},
    {"SQLite format 3", "an SQLite database", "export its table as CSV first"},
};

static nln_status refuse_foreign(const nln_input *in, nln_error *err)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        size_t n = strlen(foreign[i].bytes);
        if (in->raw_end >= n && !memcmp(in->raw, foreign[i].bytes, n))
            return nln_error_at(err, NLN_FORMAT, in->path, 0, 0,
                                "this is %s; text is read, plain, .gz or .zst: %s", foreign[i].what,
                                foreign[i].way_out);
    }
    return NLN_OK;
}

/* Finds the codec by its first bytes, and skips a byte order mark. */
static nln_status begin(nln_input *in, nln_error *err)
{
    nln_status status = NLN_OK;
    codec found = PLAIN;
    while (!status && in->raw_end < 4 && !in->raw_ended)
        status = read_raw(in, err);
    for (size_t i = 0; i < sizeof magics / sizeof *magics && !status && !found; i++) {
        const struct magic *m = &magics[i];
        if (in->raw_end >= m->n && (in->raw[0] & m->first_mask) == m->bytes[0] &&
            !memcmp(in->raw + 1, m->bytes + 1, m->n - 1))
            found = m->codec;
    }
    if (status || (!found && (status = refuse_foreign(in, err))))
        return status;
    if ((found == GZIP && inflateInit2(&in->gzip, 16 + MAX_WBITS) != Z_OK) ||
        (found == ZSTD && !(in->zstd = ZSTD_createDStream())))
        return nln_error_memory(err);
    in->codec = found;
    while (!status && in->end < 3 && !in->ended)
        status = more_text(in, err);
    if (in->end >= 3 && !memcmp(in->text, "\xef\xbb\xbf", 3))
        in->begin = 3;
    return status;
}

static nln_status open_file(nln_input *in, const char *path, nln_error *err)
{
    struct stat info;
    int standard = !strcmp(path, "-");
    in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0 || fstat(in->fd, &info))
        return nln_error_set(err, NLN_IO, "cannot open '%s': %s", in->path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return nln_error_set(err, NLN_IO, "cannot read '%s': it is a folder, not a file", in->path);
    if (S_ISREG(info.st_mode) && !standard)
        in->missing = info.st_size;
    in->raw = in->buffer = nln_memory_take(RAW_BYTES);
    return in->buffer ? NLN_OK : nln_error_memory(err);
}

/* Opens the file at `path`, or the bytes where that is NULL. */
static nln_status create(nln_input **out, const char *name, const char *path, const void *bytes,
                         size_t n_bytes, nln_error *err)
{
    nln_input *in = nln_memory_zeroed(1, sizeof *in);
    nln_status status = NLN_OK;
    *out = NULL;
    if (!in || !(in->path = nln_memory_copy(name))) {
        nln_free(in);
        return nln_error_memory(err);
    }
    in->fd = -1;
    in->raw = bytes;
    in->raw_end = n_bytes;
    if (path)
        status = open_file(in, path, err);
    if (!status)
        status = begin(in, err);
    if (status)
        nln_input_close(in);
    else
        *out = in;
    return status;
}

nln_status nln_input_open(nln_input **out, const char *path, nln_error *err)
{
    return create(out, strcmp(path, "-") ? path : "standard input", path, NULL, 0, err);
}

nln_status nln_input_memory(nln_input **out, const void *bytes, size_t n_bytes, const char *name,
                            nln_error *err)
{
    return create(out, name, NULL, bytes, n_bytes, err);
}

void nln_input_close(nln_input *in)
{
    if (!in)
        return;
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    if (in->codec == GZIP)
        inflateEnd(&in->gzip);
    ZSTD_freeDStream(in->zstd);
    nln_free(in->buffer);
    nln_free(in->text);
    nln_free(in->path);
    nln_free(in);
}

/* ---- lines -------------------------------------------------------------- */

nln_status nln_input_line(char **line, size_t *length, nln_input *in, nln_error *err)
{
    size_t scanned = 0, n;
    const char *newline;
    *line = NULL;
    *length = 0;
    for (;;) { /* n becomes the length of the line with its newline, which only the last may lack */
        const char *first = in->text + in->begin;
        size_t have = in->end - in->begin;
        newline = memchr(first + scanned, '\n', have - scanned);
        n = newline ? (size_t)(newline - first) + 1 : have;
        if (n - (newline != NULL) > LINE_LIMIT)
            return nln_error_at(
                err, NLN_LIMIT, in->path, in->line + 1, 0,
                "the line is longer than %d MiB; is this a text file? If so, split it",
                LINE_LIMIT >> 20);
        if (newline || in->ended)
            break;
        scanned = have;
        nln_status status = more_text(in, err);
        if (status)
            return status;
    }
    if (n == 0)
        return NLN_OK;
    char *text = in->text + in->begin;
    in->begin += n;
    in->line++;
    if (newline)
        n -= n > 1 && text[n - 2] == '\r' ? 2 : 1;
    text[n] = '\0';
    const char *nul = memchr(text, '\0', n);
    if (nul)
        return nln_error_at(err, NLN_FORMAT, in->path, in->line, nln_input_column(text, nul),
                            "the text has a NUL byte; is this a text file?");
    *line = text;
    *length = n;
    return NLN_OK;
}

long nln_input_line_number(const nln_input *in)
{
    return in->line;
}

const char *nln_input_path(const nln_input *in)
{
    return in->path;
}

long nln_input_column(const char *line, const char *at)
{
    long column = 1;
    for (; line < at; line++)
        column += ((unsigned char)*line & 0xc0) != 0x80;
    return column;
}
