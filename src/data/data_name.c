#include "data/data_name.h"

#include <string.h>

#include "base/utf8.h"

void nln_data_name(char out[NLN_DATA_NAME_ROOM], const char *path)
{
    size_t end = strlen(path), n = 0;
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t at = end;
    while (at > 0 && path[at - 1] != '/')
        at--;
    if (end - at == 1 && path[at] == '-')
        at = end;
    while (at < end) {
        size_t length = nln_utf8_length(path + at, end - at), some = length ? length : 1;
        int plain = length && (unsigned char)path[at] >= 0x20 && path[at] != 0x7f;
        if (n + some >= NLN_DATA_NAME_ROOM)
            break;
        if (plain)
            memcpy(out + n, path + at, some);
        else
            out[n] = '?';
        n += plain ? some : 1;
        at += some;
    }
    out[n] = '\0';
}
