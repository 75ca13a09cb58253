/* GET / and the other files of the page. */
#include <string.h>

#include "serve/page_files.h"
#include "serve/routes.h"

static const nln_page_file *find(const char *path)
{
    for (const nln_page_file *file = nln_page_files; file->path; file++)
        if (strcmp(file->path, path) == 0)
            return file;
    return NULL;
}

/* Whether the client has the file already: its etag is in the list, or the list is *. */
static int has_file(const char *list, const char *etag)
{
    return list && (strcmp(list, "*") == 0 || strstr(list, etag));
}

nln_handled nln_answer_page(nln_http_request *r)
{
    const nln_page_file *file = find(r->path);
    if (!file)
        return nln_http_request_fail(r, 404, NULL,
                                     "there is no such path; /openapi.json lists all");
    int packed = r->takes_gzip && file->gzip;
    r->type = file->type;
    r->etag = file->etag;
    r->cached = 1;
    if (has_file(r->if_none_match, file->etag)) {
        r->status = 304;
        return NLN_ANSWERED;
    }
    r->encoding = packed ? "gzip" : NULL;
    r->constant = packed ? file->gzip : file->bytes;
    r->n_constant = packed ? file->gzip_size : file->size;
    return NLN_ANSWERED;
}
