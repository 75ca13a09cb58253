#include "models/word_sequences.h"

#include "base/array.h"

nln_status nln_word_sequences_create(nln_word_sequences *w, size_t n_words, nln_error *err)
{
    *w = (nln_word_sequences){0};
    if (n_words > INT32_MAX)
        return nln_error_set(err, NLN_LIMIT, "a vocabulary of more than 2^31 words is too large");
    w->n_words = (int32_t)n_words;
    w->word = nln_array_zeroed(n_words, sizeof *w->word);
    w->place = nln_array_zeroed(n_words, sizeof *w->place);
    return w->word && w->place ? NLN_OK : nln_error_memory(err);
}

void nln_word_sequences_free(nln_word_sequences *w)
{
    nln_free(w->word);
    nln_free(w->place);
    nln_free(w->start);
    nln_free(w->token);
    *w = (nln_word_sequences){0};
}

void nln_word_sequences_clear(nln_word_sequences *w)
{
    for (int32_t i = 0; i < w->n_distinct; i++)
        w->place[w->word[i]] = 0;
    w->n = w->n_distinct = 0;
}

static int32_t place_of(nln_word_sequences *w, int32_t word)
{
    if (!w->place[word]) {
        w->word[w->n_distinct] = word;
        w->place[word] = ++w->n_distinct;
    }
    return w->place[word] - 1;
}

nln_status nln_word_sequences_append(nln_word_sequences *w, const int32_t *word, size_t n,
                                     nln_error *err)
{
    size_t before = w->n ? (size_t)w->start[w->n] : 0;
    if (n > INT32_MAX - before)
        return nln_error_set(err, NLN_LIMIT,
                             "a batch of more than 2^31 words is too large: give a "
                             "smaller --batch");
    if (!NLN_ARRAY_RESERVE(w->start, w->start_room, (size_t)w->n + 2) ||
        !NLN_ARRAY_RESERVE(w->token, w->token_room, before + n))
        return nln_error_memory(err);
    w->start[0] = 0;
    w->start[++w->n] = (int32_t)(before + n);
    for (size_t i = 0; i < n; i++)
        w->token[before + i] = place_of(w, word[i]);
    return NLN_OK;
}

nln_sequences nln_word_sequences_sequences(const nln_word_sequences *w)
{
    static const int32_t none = 0;
    return (nln_sequences){w->n, w->n_distinct, w->n ? w->start : &none, w->token};
}
