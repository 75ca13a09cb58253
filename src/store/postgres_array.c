#include "store/postgres_array.h"

#include <string.h>

#include "base/array.h"

static void put(nln_postgres_array *a, const void *bytes, size_t n)
{
    if (a->failed || !NLN_ARRAY_RESERVE(a->data, a->room, a->n + n)) {
        a->failed = 1;
        return;
    }
    memcpy(a->data + a->n, bytes, n);
    a->n += n;
}

/* The last `size` bytes of a number, the highest first. */
static void put_integer(nln_postgres_array *a, uint64_t value, int size)
{
    unsigned char bytes[8];
    for (int i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> 8 * (size - 1 - i));
    put(a, bytes, (size_t)size);
}

void nln_postgres_array_begin(nln_postgres_array *a, uint32_t type, size_t n)
{
    a->n = 0;
    put_integer(a, 1, 4); /* dimensions */
    put_integer(a, 1, 4); /* there may be NULLs */
    put_integer(a, type, 4);
    put_integer(a, n, 4);
    put_integer(a, 1, 4); /* the first index */
}

void nln_postgres_array_null(nln_postgres_array *a)
{
    put_integer(a, UINT32_MAX, 4);
}

void nln_postgres_array_text(nln_postgres_array *a, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    if (!text) {
        nln_postgres_array_null(a);
        return;
    }
    put_integer(a, n, 4);
    put(a, text, n);
}

void nln_postgres_array_real(nln_postgres_array *a, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_integer(a, 8, 4);
    put_integer(a, bits, 8);
}

void nln_postgres_array_small(nln_postgres_array *a, int x)
{
    put_integer(a, 2, 4);
    put_integer(a, (uint64_t)x, 2);
}
