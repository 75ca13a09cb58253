#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/random.h"
#include "models/word_sequences.h"

enum { WORDS = 30, SEQUENCES = 20, LONGEST = 15 };

/* The sequences come back from places and words; the words at places are distinct. */
static void check(const nln_word_sequences *w, int32_t text[][LONGEST], const int32_t *length,
                  int n)
{
    nln_sequences s = nln_word_sequences_sequences(w);
    int seen[WORDS] = {0};
    assert_int_equal(s.n, n);
    assert_int_equal(s.start[0], 0);
    assert_int_equal(s.n_tokens, w->n_distinct);
    for (int i = 0; i < n; i++) {
        assert_int_equal(s.start[i + 1] - s.start[i], length[i]);
        for (int j = 0; j < length[i]; j++) {
            int32_t place = s.token[s.start[i] + j];
            assert_in_range(place, 0, s.n_tokens - 1);
            assert_int_equal(w->word[place], text[i][j]);
        }
    }
    for (int i = 0; i < w->n_distinct; i++)
        assert_int_equal(seen[w->word[i]]++, 0);
}

static void sequences_come_back(void **state)
{
    (void)state;
    nln_random random = nln_random_seed(1, 1);
    nln_word_sequences w;
    assert_int_equal(nln_word_sequences_create(&w, WORDS, NULL), NLN_OK);
    for (int round = 0; round < 200; round++) {
        int32_t text[SEQUENCES][LONGEST], length[SEQUENCES];
        int n = (int)nln_random_below(&random, SEQUENCES + 1);
        nln_word_sequences_clear(&w);
        for (int i = 0; i < n; i++) {
            length[i] = (int32_t)nln_random_below(&random, LONGEST + 1);
            for (int j = 0; j < length[i]; j++)
                text[i][j] = (int32_t)nln_random_below(&random, WORDS);
            assert_int_equal(nln_word_sequences_append(&w, text[i], (size_t)length[i], NULL),
                             NLN_OK);
        }
        check(&w, text, length, n);
    }
    nln_word_sequences_free(&w);
}

static void too_many_words_are_refused(void **state)
{
    (void)state;
    nln_word_sequences w;
    nln_error err = {0};
    assert_int_equal(nln_word_sequences_create(&w, (size_t)INT32_MAX + 1, &err), NLN_LIMIT);
    nln_word_sequences_free(&w);
    assert_int_equal(nln_word_sequences_create(&w, 3, NULL), NLN_OK);
    const int32_t one[] = {2};
    assert_int_equal(nln_word_sequences_append(&w, one, 1, NULL), NLN_OK);
    assert_int_equal(nln_word_sequences_append(&w, one, INT32_MAX, &err), NLN_LIMIT);
    assert_non_null(strstr(err.message, "--batch"));
    nln_word_sequences_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_come_back),
        cmocka_unit_test(too_many_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
