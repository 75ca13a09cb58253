/* Compressed ratings.  The first byte says how the rest is packed: gzip or zstd, in one stream or
 * in two, whole or cut short or with a byte changed; what is whole gives the same lines as
 * the plain text, and what is not is read up to the damage or refused with a sentence. */
#include <zlib.h>
#include <zstd.h>

#include "base/input.h"
#include "data/ratings.h"
#include "fuzz.h"

enum { ZSTD = 1, TWO_STREAMS = 2, CUT = 4, CHANGED = 8, MOST = 1 << 16 };

typedef struct packing {
    uint8_t bytes[2 * MOST];
    size_t n;
} packing;

static void pack(packing *out, int zstd, const uint8_t *bytes, size_t n)
{
    size_t room = sizeof out->bytes - out->n;
    if (zstd) {
        size_t size = ZSTD_compress(out->bytes + out->n, room, bytes, n, 1);
        require(!ZSTD_isError(size));
        out->n += size;
        return;
    }
    z_stream z = {.next_in = (z_const Bytef *)bytes, .avail_in = (uInt)n};
    require(deflateInit2(&z, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    z.next_out = out->bytes + out->n;
    z.avail_out = (uInt)room;
    require(deflate(&z, Z_FINISH) == Z_STREAM_END);
    out->n += z.total_out;
    deflateEnd(&z);
}

/* Whether the text as it stands may be taken for a compressed file, or for one of another kind: the
 * second bytes of all that such files begin with. */
static int looks_packed(const uint8_t *bytes, size_t n)
{
    return n >= 2 && bytes[1] &&
           strchr("\x8b\xb5\x2a"
                  "7ZKAHQ",
                  bytes[1]);
}

/* The same lines from both, up to an error of which the plain text knows nothing if the packed
 * one is damaged. */
static void compare(const packing *packed, const uint8_t *bytes, size_t n_bytes, int damaged)
{
    nln_input *in[2];
    char *line[2];
    size_t length[2];
    nln_error err[2] = {{0}, {0}};
    nln_status status[2];
    status[0] = nln_input_memory(&in[0], packed->bytes, packed->n, "packed", &err[0]);
    status[1] = nln_input_memory(&in[1], bytes, n_bytes, "plain", &err[1]);
    do {
        for (int i = 0; i < 2; i++) {
            if (!status[i])
                status[i] = nln_input_line(&line[i], &length[i], in[i], &err[i]);
            require_told(status[i], &err[i]);
        }
        if (damaged)
            break;
        require(status[0] == status[1]);
        require(status[0] || !line[0] == !line[1]);
        require(status[0] || !line[0] || (length[0] == length[1] && !strcmp(line[0], line[1])));
    } while (!status[0] && line[0]);
    nln_input_close(in[0]);
    nln_input_close(in[1]);
}

static void read_ratings(const packing *packed)
{
    nln_ratings_report report = {0};
    nln_ratings *ratings = NULL;
    nln_options *options = NULL;
    nln_error err = {0};
    require(nln_options_create(&options, "ratings", NULL) == NLN_OK);
    const char *path = fuzz_file(packed->bytes, packed->n);
    nln_status status = nln_ratings_read(&ratings, &report, path, options, &err);
    require_told(status, &err);
    require((status == NLN_OK) == (ratings != NULL));
    nln_ratings_free(ratings);
    nln_options_free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    static packing packed;
    size_t before = nln_memory_used();
    if (n_bytes < 3 || n_bytes > MOST)
        return 0;
    int how = bytes[0], where = bytes[1], damaged = how & (CUT | CHANGED);
    bytes += 2;
    n_bytes -= 2;
    size_t first = how & TWO_STREAMS ? n_bytes * (size_t)where / 255 : n_bytes;
    packed.n = 0;
    pack(&packed, how & ZSTD, bytes, first);
    if (how & TWO_STREAMS)
        pack(&packed, how & ZSTD, bytes + first, n_bytes - first);
    if (how & CUT)
        packed.n = packed.n * (size_t)where / 255;
    if (how & CHANGED && packed.n > 0)
        packed.bytes[packed.n * (size_t)where / 256] ^= (uint8_t)(1 + (how >> 4));
    compare(&packed, bytes, n_bytes, damaged || looks_packed(bytes, n_bytes));
    read_ratings(&packed);
    require(nln_memory_used() == before);
    return 0;
}
