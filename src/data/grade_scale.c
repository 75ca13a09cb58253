#include "data/grade_scale.h"

#include <math.h>

#include "data/ratings.h"

int nln_grade_scale_grade(const nln_grade_scale *g, double rating)
{
    if (!g->n || !(g->least < g->most))
        return 0;
    double at = (rating - g->least) / (g->most - g->least) * g->n;
    return !(at >= 1) ? 1 : at >= g->n ? g->n : 1 + (int)at;
}

int nln_grade_scale_known(const nln_grade_scale *g, nln_literal literal)
{
    return literal.grade ? literal.grade : g->usual[literal.liked != 0];
}

nln_grade_scale nln_grade_scale_fit(const nln_ratings *r, int n)
{
    nln_grade_scale g = {.n = n, .least = INFINITY, .most = -INFINITY};
    size_t count[2][NLN_MOST_GRADES + 1] = {0};
    int has_inside = 0;
    for (size_t i = 0; n && i < r->n; i++)
        if (nln_ratings_split(r, i) == NLN_TRAIN) {
            g.least = fmin(g.least, (double)r->rating[i]);
            g.most = fmax(g.most, (double)r->rating[i]);
        }
    for (size_t i = 0; n && i < r->n && !has_inside; i++)
        has_inside = nln_ratings_split(r, i) == NLN_TRAIN && (double)r->rating[i] > g.least &&
                     (double)r->rating[i] < g.most;
    if (!has_inside)
        return (nln_grade_scale){.n = n};
    for (size_t i = 0; i < r->n; i++)
        if (nln_ratings_split(r, i) == NLN_TRAIN)
            count[nln_ratings_liked(r, i)][nln_grade_scale_grade(&g, (double)r->rating[i])]++;
    for (int liked = 0; liked < 2; liked++) {
        g.usual[liked] = 1;
        for (int grade = 2; grade <= n; grade++)
            if (count[liked][grade] > count[liked][g.usual[liked]])
                g.usual[liked] = grade;
    }
    return g;
}

nln_grade_scale nln_grade_scale_apply(const nln_ratings *r, const nln_grade_scale *trained)
{
    nln_grade_scale g = *trained;
    int of_labels = g.least >= 0 && g.most <= 1;
    if (g.n && !of_labels && nln_ratings_are_labels(r))
        g.least = g.most = 0;
    return g;
}
