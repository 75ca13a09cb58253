/* nln_tsne of nln_lab.h: t-SNE (van der Maaten and Hinton, 2008) by gradient descent with momentum
 * and gains. */
#include <math.h>

#include "base/array.h"
#include "base/options.h"
#include "base/random.h"
#include "net/profile.h"
#include "nln_lab.h"
#include "plane/pca.h"
#include "plane/trustworthiness.h"
#include "plane/tsne_gradient.h"

#define INITIAL_DEVIATION 1e-4
enum { REPORT_EVERY = 50, MOST_EXAGGERATED = 250 };

typedef struct descent {
    double perplexity, exaggeration, rate, theta;
    int iterations, exaggerated; /* all, and the first of them, which exaggerate */
    int exact, from_pca, n_threads;
    uint64_t seed;
    size_t n;
    nln_tsne_gradient gradient;
    double *at, *velocity, *gain; /* [2, n] */
    int iteration;                /* done so far */
    double kl, began;
    const nln_watch *watch;
} descent;

/* The default perplexity is at most a third of the other points; a larger value of the caller is
 * used if it is possible at all. */
static nln_status read_options(descent *d, const nln_options *options, nln_error *err)
{
    double others = (double)(d->n - 1), most = fmax(1, others / 3);
    d->perplexity = nln_options_number(options, "perplexity");
    d->exaggeration = nln_options_number(options, "exaggeration");
    d->rate = nln_options_number(options, "learning-rate");
    d->theta = nln_options_number(options, "theta");
    d->iterations = (int)nln_options_number(options, "iterations");
    d->exact = (double)d->n <= nln_options_number(options, "exact-up-to");
    d->from_pca = nln_options_number(options, "init") == 0;
    d->n_threads = (int)nln_options_number(options, "threads");
    d->seed = (uint64_t)nln_options_number(options, "seed");
    d->exaggerated = d->iterations / 4 < MOST_EXAGGERATED ? d->iterations / 4 : MOST_EXAGGERATED;
    if (d->rate <= 0)
        d->rate = fmax(50, (double)d->n / d->exaggeration / 4);
    if (!d->n_threads)
        d->n_threads = nln_thread_pool_processors();
    if (nln_options_source(options, "perplexity") == NLN_FROM_DEFAULT)
        d->perplexity = fmin(d->perplexity, most);
    if (d->perplexity <= others)
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID,
                         "perplexity %g is too large for %zu points: set perplexity to at most "
                         "%zu, better to %g or less",
                         d->perplexity, d->n, d->n - 1, floor(most));
}

static double deviation(const double *x, size_t n)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (x[i] - mean) * (x[i] - mean) / (double)n;
    return sqrt(square);
}

/* Principal components or random positions.  Where all points have the same coordinate the gradient
 * along that axis is 0, so an axis without variance is drawn at random. */
static nln_status initialise(descent *d, const nln_distances *space, nln_error *err)
{
    nln_random random = nln_random_seed(d->seed, 1);
    nln_status status = d->from_pca ? nln_pca_plane(d->at, space, err) : NLN_OK;
    double first = deviation(d->at, d->n);
    for (size_t axis = 0; !status && axis < 2; axis++) {
        double *x = d->at + axis * d->n;
        int is_random = !d->from_pca || deviation(x, d->n) <= 1e-5 * first;
        for (size_t i = 0; i < d->n; i++)
            x[i] = is_random ? INITIAL_DEVIATION * nln_random_normal(&random)
                             : x[i] * (INITIAL_DEVIATION / first);
    }
    for (size_t i = 0; i < 2 * d->n; i++)
        d->gain[i] = 1;
    return status;
}

/* A gain grows while the gradient keeps its sign, and shrinks when it changes.  No option within
 * its range moves a point to infinity, since the attraction falls with the distance. */
static void move(descent *d, const double *gradient)
{
    double momentum = d->iteration < d->exaggerated ? 0.5 : 0.8;
    for (size_t i = 0; i < 2 * d->n; i++) {
        double g = gradient[i];
        d->gain[i] = d->velocity[i] * g < 0 ? d->gain[i] + 0.2 : fmax(0.01, d->gain[i] * 0.8);
        d->velocity[i] = momentum * d->velocity[i] - d->rate * d->gain[i] * g;
        d->at[i] += d->velocity[i];
    }
}

static nln_status report_progress(const descent *d, nln_error *err)
{
    nln_progress now = {.epoch = d->iteration,
                        .n_epochs = d->iterations,
                        .done = (size_t)d->iteration,
                        .total = (size_t)d->iterations,
                        .loss = d->kl,
                        .seconds = nln_profile_now() - d->began};
    if (d->watch && d->watch->progress && d->watch->progress(d->watch->context, &now))
        return nln_error_set(err, NLN_CANCELLED, "t-SNE was cancelled after %d iterations",
                             d->iteration);
    return NLN_OK;
}

/* There is no early stop: right after the exaggeration the points may lie so close together that
 * the gradient is almost 0, although they are about to separate. */
static nln_status descend(descent *d, nln_error *err)
{
    nln_status status = NLN_OK;
    while (!status && d->iteration < d->iterations) {
        int reports = d->iteration % REPORT_EVERY == 0;
        const double *gradient = nln_tsne_gradient_compute(
            &d->gradient, d->at, d->iteration < d->exaggerated ? d->exaggeration : 1);
        if (reports)
            d->kl = nln_tsne_gradient_divergence(&d->gradient);
        move(d, gradient);
        d->iteration++;
        if (reports)
            status = report_progress(d, err);
    }
    nln_tsne_gradient_compute(&d->gradient, d->at, 1);
    d->kl = nln_tsne_gradient_divergence(&d->gradient);
    return status ? status : report_progress(d, err);
}

/* out is [n, 2], with its mean at the origin. */
static void centre(double *out, const double *at, size_t n)
{
    for (size_t axis = 0; axis < 2; axis++) {
        double mean = 0;
        for (size_t i = 0; i < n; i++)
            mean += at[axis * n + i] / (double)n;
        for (size_t i = 0; i < n; i++)
            out[2 * i + axis] = at[axis * n + i] - mean;
    }
}

static nln_status run(double *out, nln_tsne_report *report, descent *d, const float *points,
                      size_t dim, nln_error *err)
{
    nln_thread_pool *pool = NULL;
    nln_distances space = {0};
    nln_affinities affinity = {0};
    size_t n = d->n, k = n - 1;
    if (!d->exact && 3 * d->perplexity + 1 < (double)k)
        k = (size_t)(3 * d->perplexity + 1);
    d->at = nln_array_zeroed(2 * n, sizeof *d->at);
    d->velocity = nln_array_zeroed(2 * n, sizeof *d->velocity);
    d->gain = nln_array_zeroed(2 * n, sizeof *d->gain);
    nln_status status = d->at && d->velocity && d->gain ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = nln_thread_pool_create(&pool, d->n_threads, err);
    if (!status)
        status = nln_distances_create(&space, points, n, dim, err);
    if (!status)
        status = nln_affinities_create(&affinity, &space, k, d->perplexity, pool, err);
    if (!status)
        status = nln_tsne_gradient_create(&d->gradient, &affinity, d->exact, d->theta, pool, err);
    if (!status)
        status = initialise(d, &space, err);
    if (!status)
        status = descend(d, err);
    if (!status)
        centre(out, d->at, n);
    if (!status && report) {
        *report = (nln_tsne_report){.iterations = d->iteration,
                                    .exact = d->exact,
                                    .perplexity = d->perplexity,
                                    .kl = d->kl};
        status = nln_trustworthiness_measure(&report->trustworthiness, &space, out, pool, err);
        report->seconds = nln_profile_now() - d->began;
    }
    nln_tsne_gradient_free(&d->gradient);
    nln_affinities_free(&affinity);
    nln_distances_free(&space);
    nln_thread_pool_free(pool);
    nln_free(d->at);
    nln_free(d->velocity);
    nln_free(d->gain);
    return status;
}

nln_status nln_tsne(double *out, nln_tsne_report *report, const float *points, size_t n, size_t dim,
                    const nln_options *options, const nln_watch *watch, nln_error *err)
{
    nln_options *defaults = NULL;
    descent d = {.n = n, .began = nln_profile_now(), .watch = watch};
    nln_status status = options ? nln_options_check(options, "tsne", err)
                                : nln_options_create(&defaults, "tsne", err);
    if (!status && n < 2) { /* a single point lies at the origin */
        if (report)
            *report = (nln_tsne_report){.exact = 1, .trustworthiness = NAN};
        for (size_t i = 0; i < 2 * n; i++)
            out[i] = 0;
    } else if (!status && !dim) {
        status = nln_error_set(err, NLN_INVALID, "points without coordinates cannot be mapped");
    } else if (!status) {
        status = read_options(&d, options ? options : defaults, err);
        if (!status)
            status = run(out, report, &d, points, dim, err);
    }
    nln_options_free(defaults);
    return status;
}
