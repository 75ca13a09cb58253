/* nln_tsne of nln.h: the plane of t-SNE (van der Maaten and Hinton, 2008), by gradient descent
 * with momentum and gains. */
#include <math.h>

#include "base/array.h"
#include "base/options.h"
#include "base/random.h"
#include "net/profile.h"
#include "nln_lab.h"
#include "plane/forces.h"
#include "plane/nearest_neighbours.h"
#include "plane/pca.h"

/* The widths of a first plane, and how often the descent is looked at. */
#define FIRST_WIDTH 1e-4
enum { LOOK_EVERY = 50, MOST_EXAGGERATED = 250 };

typedef struct settings {
    double perplexity, exaggeration, rate, theta;
    int iterations, exaggerated; /* all, and the first of them that exaggerate */
    int exact, from_pca, n_threads;
    uint64_t seed;
} settings;

/* ---- options ----------------------------------------------------------------------- */

/* A third of the other points is the most that the default asks for; what the caller asks for
 * must be possible. */
static nln_status settle_perplexity(settings *s, const nln_options *options, size_t n,
                                    nln_error *err)
{
    double most = fmax(1, (double)(n - 1) / 3);
    s->perplexity = nln_options_number(options, "perplexity");
    if (nln_options_source(options, "perplexity") == NLN_FROM_DEFAULT)
        s->perplexity = fmin(s->perplexity, most);
    if (s->perplexity <= (double)(n - 1))
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID,
                         "perplexity %g is too large for %zu points: set perplexity to at most "
                         "%zu, better to %g or less",
                         s->perplexity, n, n - 1, floor(most));
}

static nln_status read_settings(settings *s, const nln_options *options, size_t n, nln_error *err)
{
    *s = (settings){
        .exaggeration = nln_options_number(options, "exaggeration"),
        .rate = nln_options_number(options, "learning-rate"),
        .theta = nln_options_number(options, "theta"),
        .iterations = (int)nln_options_number(options, "iterations"),
        .exact = (double)n <= nln_options_number(options, "exact-up-to"),
        .from_pca = nln_options_number(options, "init") == 0,
        .n_threads = (int)nln_options_number(options, "threads"),
        .seed = (uint64_t)nln_options_number(options, "seed"),
    };
    s->exaggerated = s->iterations / 4 < MOST_EXAGGERATED ? s->iterations / 4 : MOST_EXAGGERATED;
    if (s->rate <= 0)
        s->rate = fmax(50, (double)n / s->exaggeration / 4);
    if (!s->n_threads)
        s->n_threads = nln_thread_pool_processors();
    return settle_perplexity(s, options, n, err);
}

/* ---- the first plane ----------------------------------------------------------------- */

static double deviation(const double *x, size_t n)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (x[i] - mean) * (x[i] - mean) / (double)n;
    return sqrt(square);
}

static void draw(double *x, size_t n, nln_random *random)
{
    for (size_t i = 0; i < n; i++)
        x[i] = FIRST_WIDTH * nln_random_normal(random);
}

/* Forces along an axis that all points share are 0, so an axis without width is drawn. */
static nln_status begin_plane(double *at, const nln_distances *space, const settings *s,
                              nln_error *err)
{
    size_t n = space->n;
    nln_random random = nln_random_seed(s->seed, 1);
    nln_status status = s->from_pca ? nln_pca_plane(at, space, err) : NLN_OK;
    if (status)
        return status;
    double width = deviation(at, n);
    for (size_t axis = 0; axis < 2; axis++) {
        double *x = at + axis * n;
        if (!s->from_pca || deviation(x, n) <= 1e-5 * width)
            draw(x, n, &random);
        else
            for (size_t i = 0; i < n; i++)
                x[i] *= FIRST_WIDTH / width;
    }
    return NLN_OK;
}

/* ---- descent --------------------------------------------------------------------------- */

typedef struct descent {
    settings s;
    size_t n;
    nln_forces *forces;
    double *at;           /* [2, n] */
    double *speed, *gain; /* [2, n] */
    int iteration;        /* done so far */
    double kl;
    double began;
    const nln_watch *watch;
} descent;

/* A gain grows while the gradient keeps its sign, and shrinks when it changes.  No option in its
 * range sends a point to infinity: the pull falls with the distance. */
static void move(descent *d, const double *gradient)
{
    double momentum = d->iteration < d->s.exaggerated ? 0.5 : 0.8;
    for (size_t i = 0; i < 2 * d->n; i++) {
        double g = gradient[i];
        d->gain[i] = d->speed[i] * g < 0 ? d->gain[i] + 0.2 : fmax(0.01, d->gain[i] * 0.8);
        d->speed[i] = momentum * d->speed[i] - d->s.rate * d->gain[i] * g;
        d->at[i] += d->speed[i];
    }
}

static nln_status tell(const descent *d, nln_error *err)
{
    nln_progress now = {.epoch = d->iteration,
                        .n_epochs = d->s.iterations,
                        .done = (size_t)d->iteration,
                        .total = (size_t)d->s.iterations,
                        .loss = d->kl,
                        .seconds = nln_profile_now() - d->began};
    if (d->watch && d->watch->progress && d->watch->progress(d->watch->context, &now))
        return nln_error_set(err, NLN_CANCELLED, "t-SNE was cancelled after %d iterations",
                             d->iteration);
    return NLN_OK;
}

/* All iterations are made: right after the exaggeration the points may still lie together, where
 * the gradient is next to nothing, and yet be about to part. */
static nln_status descend(descent *d, nln_error *err)
{
    nln_status status = NLN_OK;
    while (!status && d->iteration < d->s.iterations) {
        int exaggerate = d->iteration < d->s.exaggerated, look = d->iteration % LOOK_EVERY == 0;
        const double *gradient =
            nln_forces_gradient(d->forces, d->at, exaggerate ? d->s.exaggeration : 1);
        if (look)
            d->kl = nln_forces_divergence(d->forces);
        move(d, gradient);
        d->iteration++;
        if (look)
            status = tell(d, err);
    }
    nln_forces_gradient(d->forces, d->at, 1);
    d->kl = nln_forces_divergence(d->forces);
    return status ? status : tell(d, err);
}

/* out is [n, 2], around the origin. */
static void hand_out(double *out, const double *at, size_t n)
{
    for (size_t axis = 0; axis < 2; axis++) {
        double mean = 0;
        for (size_t i = 0; i < n; i++)
            mean += at[axis * n + i] / (double)n;
        for (size_t i = 0; i < n; i++)
            out[2 * i + axis] = at[axis * n + i] - mean;
    }
}

/* ---- all of it --------------------------------------------------------------------------- */

static nln_status find_plane(double *out, descent *d, const nln_distances *space,
                             const nln_affinities *affinity, nln_thread_pool *team, nln_error *err)
{
    d->at = nln_array_zeroed(2 * d->n, sizeof *d->at);
    d->speed = nln_array_zeroed(2 * d->n, sizeof *d->speed);
    d->gain = nln_array_zeroed(2 * d->n, sizeof *d->gain);
    nln_status status = d->at && d->speed && d->gain ? NLN_OK : nln_error_memory(err);
    for (size_t i = 0; !status && i < 2 * d->n; i++)
        d->gain[i] = 1;
    if (!status)
        status = nln_forces_create(&d->forces, affinity, d->s.exact, d->s.theta, team, err);
    if (!status)
        status = begin_plane(d->at, space, &d->s, err);
    if (!status)
        status = descend(d, err);
    if (!status)
        hand_out(out, d->at, d->n);
    nln_forces_free(d->forces);
    nln_free(d->at);
    nln_free(d->speed);
    nln_free(d->gain);
    return status;
}

static size_t count_neighbours(const settings *s, size_t n)
{
    double wanted = 3 * s->perplexity + 1;
    return s->exact || wanted > (double)(n - 1) ? n - 1 : (size_t)wanted;
}

static nln_status run(double *out, nln_tsne_report *report, descent *d, const float *points,
                      size_t dim, nln_error *err)
{
    nln_thread_pool *team = NULL;
    nln_distances space = {0};
    nln_affinities affinity = {0};
    nln_status status = nln_thread_pool_create(&team, d->s.n_threads, err);
    if (!status)
        status = nln_distances_create(&space, points, d->n, dim, err);
    if (!status)
        status = nln_affinities_create(&affinity, &space, count_neighbours(&d->s, d->n),
                                       d->s.perplexity, team, err);
    if (!status)
        status = find_plane(out, d, &space, &affinity, team, err);
    if (!status && report)
        status = nln_nearest_neighbours_trust(&report->trustworthiness, &space, out, team, err);
    nln_affinities_free(&affinity);
    nln_distances_free(&space);
    nln_thread_pool_free(team);
    return status;
}

/* One point is at the origin; none is nowhere. */
static nln_status place_few(double *out, nln_tsne_report *report, size_t n)
{
    if (report)
        *report = (nln_tsne_report){.exact = 1, .trustworthiness = NAN};
    for (size_t i = 0; i < 2 * n; i++)
        out[i] = 0;
    return NLN_OK;
}

static nln_status map(double *out, nln_tsne_report *report, const float *points, size_t n,
                      size_t dim, const nln_options *options, const nln_watch *watch,
                      nln_error *err)
{
    descent d = {.n = n, .began = nln_profile_now(), .watch = watch};
    nln_status status = read_settings(&d.s, options, n, err);
    if (!status)
        status = run(out, report, &d, points, dim, err);
    if (!status && report) {
        report->iterations = d.iteration;
        report->exact = d.s.exact;
        report->perplexity = d.s.perplexity;
        report->kl = d.kl;
        report->seconds = nln_profile_now() - d.began;
    }
    return status;
}

nln_status nln_tsne(double *out, nln_tsne_report *report, const float *points, size_t n, size_t dim,
                    const nln_options *options, const nln_watch *watch, nln_error *err)
{
    nln_options *defaults = NULL;
    nln_status status = options ? nln_options_check(options, "tsne", err) : NLN_OK;
    if (status)
        return status;
    if (n < 2)
        return place_few(out, report, n);
    if (!dim)
        return nln_error_set(err, NLN_INVALID, "points of no numbers cannot be told apart");
    if (!options)
        status = nln_options_create(&defaults, "tsne", err);
    if (!status)
        status = map(out, report, points, n, dim, options ? options : defaults, watch, err);
    nln_options_free(defaults);
    return status;
}
