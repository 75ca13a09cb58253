/* nln_two_clusters of nln_lab.h: k-means with k = 2, the best of several starts. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/random.h"
#include "nln_lab.h"

enum { STARTS = 10, MOST_ROUNDS = 100 };

static double square(const double a[2], const double b[2])
{
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
}

/* k-means++ (Arthur and Vassilvitskii, 2007): any point, and one drawn with a probability
 * proportional to its squared distance from the first. */
static void draw_centres(double centre[2][2], const double *plane, size_t n, nln_random *random)
{
    size_t first = (size_t)nln_random_below(random, n), second = first;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += square(plane + 2 * i, plane + 2 * first);
    double left = sum * nln_random_uniform(random);
    for (size_t i = 0; i < n && left >= 0; i++) {
        double far = square(plane + 2 * i, plane + 2 * first);
        left -= far;
        if (far > 0)
            second = i;
    }
    memcpy(centre[0], plane + 2 * first, sizeof centre[0]);
    memcpy(centre[1], plane + 2 * second, sizeof centre[1]);
}

/* Assigns every point to the nearer centre; returns the number of changes. */
static size_t assign(int *cluster, double centre[2][2], const double *plane, size_t n)
{
    size_t changed = 0;
    for (size_t i = 0; i < n; i++) {
        int nearer = square(plane + 2 * i, centre[1]) < square(plane + 2 * i, centre[0]);
        changed += nearer != cluster[i];
        cluster[i] = nearer;
    }
    return changed;
}

/* Lloyd's algorithm from random centres.  Returns the sum of squared distances from the centres. */
static double cluster_once(int *cluster, const double *plane, size_t n, nln_random *random)
{
    double centre[2][2], squares = 0;
    draw_centres(centre, plane, n, random);
    assign(cluster, centre, plane, n);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        double sum[2][2] = {{0}}, count[2] = {0};
        for (size_t i = 0; i < n; i++) {
            sum[cluster[i]][0] += plane[2 * i];
            sum[cluster[i]][1] += plane[2 * i + 1];
            count[cluster[i]]++;
        }
        for (int c = 0; c < 2; c++) /* a centre without points stays */
            for (int axis = 0; count[c] > 0 && axis < 2; axis++)
                centre[c][axis] = sum[c][axis] / count[c];
        if (!assign(cluster, centre, plane, n))
            break;
    }
    for (size_t i = 0; i < n; i++)
        squares += square(plane + 2 * i, centre[cluster[i]]);
    return squares;
}

static double accuracy_of(const int *cluster, const int8_t *value, size_t n)
{
    size_t count[2][2] = {{0}}, known = 0, right = 0;
    for (size_t i = 0; value && i < n; i++)
        if (value[i] >= 0) {
            count[cluster[i]][value[i] > 0]++;
            known++;
        }
    for (int c = 0; c < 2; c++)
        right += count[c][0] > count[c][1] ? count[c][0] : count[c][1];
    return known ? (double)right / (double)known : NAN;
}

nln_status nln_two_clusters(int *cluster, double *accuracy, const double *plane, size_t n,
                            const int8_t *value, uint64_t seed, nln_error *err)
{
    nln_random random = nln_random_seed(seed, 2);
    double best = INFINITY;
    size_t ones = 0;
    for (size_t i = 0; i < 2 * n; i++)
        if (!isfinite(plane[i]))
            return nln_error_set(err, NLN_NUMERIC, "the position of point %zu is not finite",
                                 i / 2 + 1);
    int *trial = nln_array_zeroed(n, sizeof *trial);
    if (!trial)
        return nln_error_memory(err);
    memset(cluster, 0, n * sizeof *cluster);
    for (int start = 0; n && start < STARTS; start++) {
        double squares = cluster_once(trial, plane, n, &random);
        if (squares < best) {
            best = squares;
            memcpy(cluster, trial, n * sizeof *cluster);
        }
    }
    nln_free(trial);
    for (size_t i = 0; i < n; i++)
        ones += (size_t)cluster[i];
    for (size_t i = 0; i < n && 2 * ones > n; i++) /* the larger cluster is 0 */
        cluster[i] = !cluster[i];
    if (accuracy)
        *accuracy = accuracy_of(cluster, value, n);
    return NLN_OK;
}
