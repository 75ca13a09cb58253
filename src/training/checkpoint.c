#include "training/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "models/model_file.h"

/* ---- numbers ---------------------------------------------------------------------------- */

/* A list of numbers that is written, or read in the same order; so that one function names
 * them for both. */
enum { MOST_NUMBERS = 160, DIGITS = 16 };
typedef struct tape {
    int reading, bad;
    int n;
    double number[MOST_NUMBERS];
} tape;

static void put_real(tape *t, double *x)
{
    if (t->reading)
        *x = t->number[t->n++];
    else
        t->number[t->n++] = *x;
}

/* A whole number from 0 to `most`, which a double holds exactly. */
static void put_count(tape *t, size_t *x, size_t most)
{
    double number = (double)*x;
    put_real(t, &number);
    if (number >= 0 && number <= (double)most && number == floor(number))
        *x = (size_t)number;
    else
        t->bad = 1;
}

static void put_int(tape *t, int *x, int most)
{
    size_t number = (size_t)*x;
    put_count(t, &number, (size_t)most);
    *x = (int)number;
}

static void put_word(tape *t, uint64_t *x)
{
    size_t high = (size_t)(*x >> 32), low = (size_t)(*x & UINT32_MAX);
    put_count(t, &high, UINT32_MAX);
    put_count(t, &low, UINT32_MAX);
    *x = (uint64_t)high << 32 | (uint64_t)low;
}

static void put_ranking(tape *t, nln_ranking *r)
{
    const size_t most = (size_t)1 << 53;
    put_count(t, &r->n, most);
    put_count(t, &r->n_users, most);
    put_int(t, &r->n_cuts, NLN_MOST_CUTS);
    for (int i = 0; i < NLN_MOST_CUTS; i++) {
        put_int(t, &r->cut[i], INT32_MAX);
        put_real(t, &r->hit[i]);
        put_real(t, &r->ndcg[i]);
        put_real(t, &r->recall[i]);
    }
    put_real(t, &r->mrr);
    put_real(t, &r->mean_rank);
}

/* The full ranking is measured at the end alone. */
static void put_metrics(tape *t, nln_metrics *m)
{
    put_count(t, &m->n, (size_t)1 << 53);
    put_real(t, &m->accuracy);
    put_real(t, &m->rmse);
    put_real(t, &m->cross_entropy);
    put_real(t, &m->auc);
    put_ranking(t, &m->sampled);
}

/* Where in the training a file was written. */
typedef struct place {
    uint64_t data;
    int epoch;
    size_t at;
} place;

static void put_all(tape *numbers, place *p, nln_trainer *t, nln_training_state *s)
{
    put_word(numbers, &p->data);
    put_int(numbers, &p->epoch, 2 * t->n_epochs); /* training may go on */
    put_count(numbers, &p->at, t->source->n);
    put_real(numbers, &t->sum);
    put_real(numbers, &t->flips);
    for (int i = 0; i < 4; i++)
        put_word(numbers, &t->random.state[i]);
    put_real(numbers, &t->learner->noise);
    put_real(numbers, &s->best_noise);
    put_real(numbers, &s->progress.loss);
    put_int(numbers, &s->progress.best_epoch, 2 * t->n_epochs);
    put_metrics(numbers, &s->progress.best);
    put_metrics(numbers, &s->progress.valid);
    put_real(numbers, &s->seconds);
    put_real(numbers, &s->seconds_in_epochs);
}

/* The bits of each number as sixteen hexadecimal digits. */
static char *tape_text(const tape *t)
{
    char *text = nln_memory_take((size_t)t->n * DIGITS + 1);
    for (int i = 0; text && i < t->n; i++) {
        uint64_t bits;
        memcpy(&bits, &t->number[i], sizeof bits);
        snprintf(text + (size_t)i * DIGITS, DIGITS + 1, "%016" PRIx64, bits);
    }
    return text;
}

static int read_bits(uint64_t *bits, const char *digits)
{
    static const char hex[] = "0123456789abcdef";
    *bits = 0;
    for (int i = 0; i < DIGITS; i++) {
        const char *digit = memchr(hex, digits[i], sizeof hex - 1);
        if (!digit)
            return 0;
        *bits = *bits << 4 | (uint64_t)(digit - hex);
    }
    return 1;
}

/* Returns how many numbers the text has, 0 if it is anything else. */
static int read_tape(tape *t, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    *t = (tape){.reading = 1};
    if (length % DIGITS || length / DIGITS > MOST_NUMBERS)
        return 0;
    for (size_t i = 0; i < length / DIGITS; i++) {
        uint64_t bits;
        if (!read_bits(&bits, text + i * DIGITS))
            return 0;
        memcpy(&t->number[i], &bits, sizeof bits);
    }
    return (int)(length / DIGITS);
}

/* ---- tensors ------------------------------------------------------------------------------ */

/* The tensors besides the model's: where they are in this process, and their names. */
enum { MOST_NAME = 40, MOST_LISTED = 3 * NLN_MOST_PARAMETERS + 3 };
_Static_assert((int)MOST_LISTED <= (int)NLN_MODELFILE_MOST_MORE, "a file has room for all");
typedef struct list {
    int n;
    char name[MOST_LISTED][MOST_NAME];
    nln_tensor tensor[MOST_LISTED];
    real *real[MOST_LISTED];     /* what the tensor is read into: this ... */
    int32_t *whole[MOST_LISTED]; /* ... or this */
} list;

static void add(list *l, const char *name, int part, real *x, int32_t *whole, size_t n)
{
    int i = l->n++;
    if (part < 0)
        snprintf(l->name[i], MOST_NAME, "training.%s", name);
    else
        snprintf(l->name[i], MOST_NAME, "training.%s.%d", name, part);
    l->real[i] = x;
    l->whole[i] = whole;
    l->tensor[i] = (nln_tensor){
        .name = l->name[i], .n_dims = 1, .shape = {n, 1}, .data = (const float *)x, .whole = whole};
}

static void list_tensors(list *l, const nln_trainer *t, const nln_training_state *s)
{
    l->n = 0;
    for (int i = 0; i < t->learner->n_parameters; i++) {
        const nln_table *table = &t->table[i];
        size_t n = table->n * (size_t)table->width;
        add(l, "mean", i, table->m, NULL, n);
        add(l, "square", i, table->v, NULL, n);
        add(l, "last", i, NULL, table->last, table->n);
    }
    add(l, "order", -1, NULL, t->order, t->source->n);
    add(l, "best", -1, s->best.block, NULL, s->best.n);
    if (s->mean.n)
        add(l, "average", -1, s->mean.block, NULL, s->mean.n);
}

static nln_status bad(nln_error *err, const char *path, const char *what)
{
    return nln_error_at(err, NLN_FORMAT, path, 0, 0,
                        "no training can go on from this file: %s; begin anew without it", what);
}

static nln_status read_tensors(list *l, const nln_safetensors *file, const char *path,
                               nln_error *err)
{
    for (int i = 0; i < l->n; i++) {
        const nln_tensor *from = nln_safetensors_tensor(file, l->name[i]);
        size_t n = l->tensor[i].shape[0];
        if (!from || !from->data != !l->real[i] || from->shape[0] != n || from->shape[1] != 1)
            return bad(err, path, "its tensors are not those of this training");
        if (n && l->real[i])
            /* NOLINTNEXTLINE: both are there or neither */
            memcpy(l->real[i], from->data, n * sizeof(float));
        else if (n)
            memcpy(l->whole[i], from->whole, n * sizeof(int32_t));
    }
    return NLN_OK;
}

/* ---- what could lead astray --------------------------------------------------------------- */

static int is_permutation(int *yes, const int32_t *order, size_t n)
{
    uint8_t *seen = nln_array_zeroed(n, 1);
    if (!seen)
        return 0;
    *yes = 1;
    for (size_t i = 0; i < n && *yes; i++) {
        *yes = order[i] >= 0 && (size_t)order[i] < n && !seen[order[i]];
        if (*yes)
            seen[order[i]] = 1;
    }
    nln_free(seen);
    return 1;
}

/* Adam's second moments are squares, and no row has been updated in the future. */
static int tables_make_sense(const nln_trainer *t)
{
    for (int i = 0; i < t->learner->n_parameters; i++) {
        const nln_table *table = &t->table[i];
        for (size_t j = 0; j < table->n * (size_t)table->width; j++)
            if (!(table->v[j] >= 0))
                return 0;
        for (size_t j = 0; j < table->n; j++)
            if (table->last[j] < 0 || table->last[j] > t->adam.step)
                return 0;
    }
    return 1;
}

static nln_status check(const nln_trainer *t, const char *path, nln_error *err)
{
    int in_order;
    if (!is_permutation(&in_order, t->order, t->source->n))
        return nln_error_memory(err);
    if (!in_order || !tables_make_sense(t))
        return bad(err, path, "its numbers make no sense");
    return NLN_OK;
}

/* ---- files --------------------------------------------------------------------------------- */

nln_status nln_checkpoint_write(const nln_trainer *t, const nln_training_state *standing,
                                const char *path, nln_error *err)
{
    nln_trainer trainer = *t; /* the tape can be read as well, but here it only writes */
    nln_training_state s = *standing;
    nln_learner learner = *t->learner;
    place p = {s.data, t->epoch, t->at};
    tape numbers = {0};
    list *tensors = nln_memory_zeroed(1, sizeof *tensors);
    trainer.learner = &learner;
    put_all(&numbers, &p, &trainer, &s);
    char *text = tape_text(&numbers);
    nln_status status = tensors && text ? NLN_OK : nln_error_memory(err);
    if (!status) {
        list_tensors(tensors, t, standing);
        status =
            nln_modelfile_write(t->model, path, tensors->tensor, (size_t)tensors->n, text, err);
    }
    nln_free(text);
    nln_free(tensors);
    return status;
}

static nln_status read_numbers(nln_trainer *t, nln_training_state *s, const char *text,
                               const char *path, nln_error *err)
{
    place p = {0};
    tape numbers;
    int n = read_tape(&numbers, text);
    if (!n)
        return bad(err, path, "its numbers make no sense");
    put_all(&numbers, &p, t, s);
    if (numbers.bad || numbers.n != n || p.at % (size_t)t->batch_size || p.at >= t->source->n ||
        !(s->seconds >= 0) || !(s->seconds_in_epochs >= 0) || !(t->learner->noise >= 0) ||
        !(t->learner->noise < 0.5))
        return bad(err, path, "its numbers make no sense");
    if (p.data != s->data)
        return nln_error_at(err, NLN_INVALID, path, 0, 0,
                            "this training was begun with other data: go on with the same, or "
                            "begin anew");
    s->progress.epoch = p.epoch;
    return nln_trainer_rewind(t, p.epoch, p.at, err);
}

nln_status nln_checkpoint_read(nln_trainer *t, nln_training_state *standing, const char *path,
                               nln_error *err)
{
    nln_safetensors *file = NULL;
    list *tensors = nln_memory_zeroed(1, sizeof *tensors);
    nln_status status = tensors ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = nln_safetensors_read(&file, path, err);
    if (!status && !nln_safetensors_metadata(file, "training"))
        status = bad(err, path, "it is a model, but has no training under way");
    if (!status)
        status = nln_modelfile_restore(t->model, file, path, err);
    if (!status)
        status = read_numbers(t, standing, nln_safetensors_metadata(file, "training"), path, err);
    if (!status) {
        list_tensors(tensors, t, standing);
        status = read_tensors(tensors, file, path, err);
    }
    if (!status)
        status = check(t, path, err);
    if (!status && t->learner->changed)
        t->learner->changed(t->learner);
    nln_safetensors_free(file);
    nln_free(tensors);
    return status;
}
