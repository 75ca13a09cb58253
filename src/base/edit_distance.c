#include "base/edit_distance.h"

#include <string.h>

enum { MOST = NLN_EDIT_DISTANCE_FAR - 1, MOST_SUGGESTED = 2 };

static int same_letter(char a, char b)
{
    return (a == '_' ? '-' : a) == (b == '_' ? '-' : b);
}

int nln_edit_distance_begins(const char *name, const char *prefix)
{
    for (; *prefix; name++, prefix++)
        if (!same_letter(*name, *prefix))
            return 0;
    return 1;
}

int nln_edit_distance(const char *a, const char *b)
{
    int row[MOST + 1], n = (int)strnlen(b, MOST + 1);
    if (n > MOST || strnlen(a, MOST + 1) > MOST)
        return NLN_EDIT_DISTANCE_FAR;
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 0; a[i]; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < n; j++) {
            int change = diagonal + !same_letter(a[i], b[j]);
            int other = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            diagonal = row[j + 1];
            row[j + 1] = change < other ? change : other;
        }
    }
    return row[n];
}

int nln_edit_distance_nearer(int *least, const char *name, const char *candidate)
{
    int n = (int)strnlen(name, MOST + 1), m = (int)strnlen(candidate, MOST + 1);
    if (!n)
        return 0;
    int prefix = nln_edit_distance_begins(candidate, name);
    int distance = prefix ? 1 : nln_edit_distance(candidate, name);
    if (distance >= *least || distance > MOST_SUGGESTED ||
        (!prefix && 2 * distance > (m < n ? m : n)))
        return 0;
    *least = distance;
    return 1;
}
