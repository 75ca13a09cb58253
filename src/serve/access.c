#include "serve/access.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "serve/serve_options.h"

/* ---- keys --------------------------------------------------------------- */

static nln_role role_of(const char *word)
{
    static const char *const names[] = {
        [NLN_ROLE_READ] = "read", [NLN_ROLE_WRITE] = "write", [NLN_ROLE_ADMIN] = "admin"};
    for (int i = NLN_ROLE_READ; i <= NLN_ROLE_ADMIN; i++)
        if (strcmp(word, names[i]) == 0)
            return (nln_role)i;
    return NLN_ROLE_NONE;
}

static nln_status add_line(nln_keys *keys, char *line, const char *path, long number,
                           nln_error *err)
{
    char *rest = NULL, *words[2] = {0};
    for (int i = 0; i < 2; i++)
        words[i] = strtok_r(i ? NULL : line, " \t\r=:,", &rest);
    if (!words[0] || words[0][0] == '#')
        return NLN_OK;
    nln_role role = role_of(words[0]);
    const char *key = role ? words[1] : words[0];
    if (!role && words[1])
        role = role_of(words[1]);
    if (!role || !key)
        return nln_error_at(err, NLN_SYNTAX, path, number, 0,
                            "a line of the keys must be ROLE KEY, where ROLE is read, write or "
                            "admin");
    if (!NLN_ARRAY_RESERVE(keys->rows, keys->room, keys->n + 1))
        return nln_error_memory(err);
    keys->rows[keys->n++] = (struct nln_key){key, strlen(key), role};
    return NLN_OK;
}

static nln_status read_text(char **out, const char *path, nln_error *err)
{
    enum { MOST = 1 << 20 };
    FILE *file = fopen(path, "rb");
    *out = file ? nln_memory_zeroed(MOST + 1, 1) : NULL;
    size_t n = *out ? fread(*out, 1, MOST, file) : 0;
    int failed = file && (ferror(file) || n == MOST);
    if (file)
        fclose(file);
    if (!file || failed)
        return nln_error_at(err, NLN_IO, path, 0, 0, "the file of keys cannot be read");
    return *out ? NLN_OK : nln_error_memory(err);
}

nln_status nln_keys_read(nln_keys *out, const char *path, nln_error *err)
{
    *out = (nln_keys){0};
    nln_status status = read_text(&out->text, path, err);
    long number = 0;
    for (char *line = out->text, *end; !status && line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        status = add_line(out, line, path, ++number, err);
    }
    if (!status && !out->n)
        status = nln_error_at(err, NLN_FORMAT, path, 0, 0, "there is no key in this file");
    if (status)
        nln_keys_free(out);
    return status;
}

void nln_keys_free(nln_keys *keys)
{
    if (keys->text) /* nothing of a key stays in memory */
        memset(keys->text, 0, strlen(keys->text));
    for (size_t i = 0; i < keys->n; i++)
        memset((char *)(uintptr_t)keys->rows[i].key, 0, keys->rows[i].length);
    nln_free(keys->text);
    nln_free(keys->rows);
    *keys = (nln_keys){0};
}

nln_role nln_keys_role(const nln_keys *keys, const char *key)
{
    size_t n = strlen(key);
    unsigned role = NLN_ROLE_NONE;
    for (size_t i = 0; i < keys->n; i++) {
        const struct nln_key *row = &keys->rows[i];
        size_t differs = row->length ^ n;
        for (size_t j = 0; j < n; j++)
            differs |= (size_t)(unsigned char)(key[j] ^ row->key[j % row->length]);
        unsigned mask = 0u - (unsigned)(differs == 0);
        unsigned better = 0u - (unsigned)((unsigned)row->role > role);
        role = (role & ~(mask & better)) | ((unsigned)row->role & mask & better);
    }
    return (nln_role)role;
}

const char *nln_keys_given(const char *authorization, const char *api_key)
{
    if (authorization && strncasecmp(authorization, "Bearer ", 7) == 0)
        return authorization + 7 + strspn(authorization + 7, " ");
    return api_key;
}

/* ---- origins ------------------------------------------------------------ */

int nln_access_listed(const char *origin, const char *origins)
{
    size_t n = strlen(origin);
    for (const char *at = origins; *at; at += strcspn(at, ","), at += *at == ',') {
        at += strspn(at, " ");
        if (strncasecmp(at, origin, n) == 0 && strchr(" ,", at[n]))
            return 1;
    }
    return 0;
}

int nln_access_origin(const char *origin, const char *host, const char *origins)
{
    if (!origin)
        return 1;
    const char *name = strstr(origin, "://");
    return (name && host && strcasecmp(name + 3, host) == 0) || nln_access_listed(origin, origins);
}

int nln_access_local_name(const char *host)
{
    char name[128];
    size_t n = host ? strlen(host) : 0;
    if (!host)
        return 1;
    if (host[0] == '[' && strchr(host, ']'))
        host++, n = (size_t)(strchr(host, ']') - host);
    else if (strchr(host, ':'))
        n = (size_t)(strchr(host, ':') - host);
    if (n >= sizeof name)
        return 0;
    for (size_t i = 0; i < n; i++)
        name[i] = (char)(host[i] >= 'A' && host[i] <= 'Z' ? host[i] - 'A' + 'a' : host[i]);
    name[n] = '\0';
    return nln_serve_is_loopback(name);
}
