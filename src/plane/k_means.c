/* nln_two_clusters of nln.h: k-means with k = 2, the best of several starts. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/random.h"
#include "nln_lab.h"

enum { STARTS = 10, MOST_ROUNDS = 100 };

typedef struct place {
    double x, y;
} place;

static double square(const double *point, place p)
{
    return (point[0] - p.x) * (point[0] - p.x) + (point[1] - p.y) * (point[1] - p.y);
}

/* Two of the points: any, and one drawn by its squared distance from the first (Arthur and
 * Vassilvitskii, 2007). */
static void draw_centres(place centre[2], const double *plane, size_t n, nln_random *random)
{
    size_t first = (size_t)nln_random_below(random, n), second = first;
    double sum = 0;
    centre[0] = (place){plane[2 * first], plane[2 * first + 1]};
    for (size_t i = 0; i < n; i++)
        sum += square(plane + 2 * i, centre[0]);
    double left = sum * nln_random_uniform(random);
    for (size_t i = 0; i < n && left >= 0; i++) {
        double far = square(plane + 2 * i, centre[0]);
        left -= far;
        if (far > 0)
            second = i;
    }
    centre[1] = (place){plane[2 * second], plane[2 * second + 1]};
}

/* Gives every point to the nearer centre; returns how many changed. */
static size_t assign(int *cluster, const place centre[2], const double *plane, size_t n)
{
    size_t changed = 0;
    for (size_t i = 0; i < n; i++) {
        int nearer = square(plane + 2 * i, centre[1]) < square(plane + 2 * i, centre[0]);
        changed += nearer != cluster[i];
        cluster[i] = nearer;
    }
    return changed;
}

/* A centre without points stays. */
static void move_centres(place centre[2], const int *cluster, const double *plane, size_t n)
{
    place sum[2] = {{0, 0}, {0, 0}};
    size_t count[2] = {0, 0};
    for (size_t i = 0; i < n; i++) {
        sum[cluster[i]].x += plane[2 * i];
        sum[cluster[i]].y += plane[2 * i + 1];
        count[cluster[i]]++;
    }
    for (int c = 0; c < 2; c++)
        if (count[c])
            centre[c] = (place){sum[c].x / (double)count[c], sum[c].y / (double)count[c]};
}

/* Returns the sum of squared distances from the centres. */
static double cluster_once(int *cluster, const double *plane, size_t n, nln_random *random)
{
    place centre[2];
    double sum = 0;
    draw_centres(centre, plane, n, random);
    assign(cluster, centre, plane, n);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        move_centres(centre, cluster, plane, n);
        if (!assign(cluster, centre, plane, n))
            break;
    }
    for (size_t i = 0; i < n; i++)
        sum += square(plane + 2 * i, centre[cluster[i]]);
    return sum;
}

static void name_larger_first(int *cluster, size_t n)
{
    size_t ones = 0;
    for (size_t i = 0; i < n; i++)
        ones += (size_t)cluster[i];
    for (size_t i = 0; i < n && 2 * ones > n; i++)
        cluster[i] = !cluster[i];
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
    for (size_t i = 0; i < 2 * n; i++)
        if (!isfinite(plane[i]))
            return nln_error_set(err, NLN_NUMERIC, "the place of point %zu is not finite",
                                 i / 2 + 1);
    int *trial = nln_array_zeroed(n, sizeof *trial);
    if (!trial)
        return nln_error_memory(err);
    memset(cluster, 0, n * sizeof *cluster);
    for (int start = 0; n && start < STARTS; start++) {
        double sum = cluster_once(trial, plane, n, &random);
        if (sum < best) {
            best = sum;
            memcpy(cluster, trial, n * sizeof *cluster);
        }
    }
    nln_free(trial);
    name_larger_first(cluster, n);
    if (accuracy)
        *accuracy = accuracy_of(cluster, value, n);
    return NLN_OK;
}
