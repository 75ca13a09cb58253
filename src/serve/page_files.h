/* page_files.h: the files of the page, inside the program.
 *
 * tools/embed_files.c makes the table from the folder page/ at build time, so that a server needs
 * no files beside it.  The bytes are never changed and never freed.
 */
#ifndef NLN_SERVE_PAGE_FILES_H
#define NLN_SERVE_PAGE_FILES_H

#include <stddef.h>

typedef struct nln_page_file {
    const char *path; /* of the request: "/" for index.html, "/views/map.js"; NULL ends the table */
    const char *type; /* Content-Type */
    const char *etag; /* of both encodings, with its quotes: W/"..." */
    const unsigned char *bytes;
    size_t size;
    const unsigned char *gzip; /* the same bytes compressed; NULL if that would not be shorter */
    size_t gzip_size;
} nln_page_file;

/* Sorted by path. */
extern const nln_page_file nln_page_files[];

#endif
