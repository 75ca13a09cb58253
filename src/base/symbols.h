/* A symbol table: each distinct name has a number, in the order of first use. */
#ifndef NLN_BASE_SYMBOLS_H
#define NLN_BASE_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

typedef struct nln_symbols nln_symbols;

/* Both return NULL when out of memory. */
nln_symbols *nln_symbols_create(void);
nln_symbols *nln_symbols_copy(const nln_symbols *from);
void nln_symbols_free(nln_symbols *s);
int32_t nln_symbols_count(const nln_symbols *s);
/* NULL when no name has this number; valid until the next new name. */
const char *nln_symbols_name(const nln_symbols *s, int32_t id);
/* The number of name[0..length), or -1 if it has none.  Any bytes but NUL. */
int32_t nln_symbols_find(const nln_symbols *s, const char *name, size_t length);
/* The name that may have been meant by one that is not there, or NULL: few letters apart.  Tables
 * of very many names are not searched. */
const char *nln_symbols_nearest(const nln_symbols *s, const char *name, size_t length);
/* The number of a name as above, giving a new name the next number; -1 when out of memory. */
int32_t nln_symbols_intern(nln_symbols *s, const char *name, size_t length);

#endif
