/* Any bytes as a file of titles.  What is accepted is UTF-8, and what is refused has a
 * sentence. */
#include "data/titles.h"
#include "base/utf8.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    static const char *const items[] = {"1", "2", "3", "B0", "a,b"};
    nln_titles *titles = NULL;
    nln_input *in;
    nln_error err = {0};
    size_t before = nln_memory_used();
    nln_status status = nln_input_memory(&in, bytes, n_bytes, "fuzz", &err);
    if (!status)
        status = nln_titles_scan(&titles, in, &err);
    require_told(status, &err);
    for (size_t i = 0; !status && i < sizeof items / sizeof *items; i++) {
        const char *title = nln_titles_find(titles, items[i]);
        require(!title || (title[0] && nln_utf8_valid(title, strlen(title))));
    }
    nln_titles_free(titles);
    nln_input_close(in);
    require(nln_memory_used() == before);
    return 0;
}
