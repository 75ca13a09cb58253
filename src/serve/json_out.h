/* JSON as text that grows.  Values are written in order; commas come by themselves.  A text that
 * ran out of memory stays failed, so that one test at the end is enough. */
#ifndef NLN_SERVE_JSON_OUT_H
#define NLN_SERVE_JSON_OUT_H

#include <stddef.h>
#include <stdint.h>

typedef struct nln_text {
    char *bytes; /* [n], for nln_free; not terminated */
    size_t n, room;
    int failed;
} nln_text;

void nln_text_free(nln_text *text);
/* Bytes as they are. */
void nln_text_add(nln_text *text, const char *bytes, size_t n);
void nln_text_format(nln_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `key` is the name of a member, or NULL in an array and at the top. */
void nln_json_out_open(nln_text *text, const char *key, char bracket);
void nln_json_out_close(nln_text *text, char bracket);
/* NULL is null.  Bytes that are not UTF-8 become U+FFFD. */
void nln_json_out_string(nln_text *text, const char *key, const char *value);
/* Nine digits, as many as a float has; null where the number is not finite. */
void nln_json_out_number(nln_text *text, const char *key, double value);
void nln_json_out_count(nln_text *text, const char *key, uint64_t value);
void nln_json_out_whole(nln_text *text, const char *key, int64_t value);
void nln_json_out_flag(nln_text *text, const char *key, int value);
void nln_json_out_null(nln_text *text, const char *key);

#endif
