/* The description of the server for programs, made from the table of routes. */
#ifndef NLN_SERVE_OPENAPI_H
#define NLN_SERVE_OPENAPI_H

#include "serve/json_out.h"

/* Appends the document, OpenAPI 3.0. */
void nln_openapi_print(nln_text *out);

#endif
