#include "data/rating_grades.h"

#include <math.h>

#include "data/ratings.h"

int nln_rating_grades_grade(const nln_rating_grades *g, double rating)
{
    if (!g->n || !(g->least < g->most))
        return 0;
    double at = (rating - g->least) / (g->most - g->least) * g->n;
    return !(at >= 1) ? 1 : at >= g->n ? g->n : 1 + (int)at;
}

int nln_rating_grades_known(const nln_rating_grades *g, nln_literal literal)
{
    return literal.grade ? literal.grade : g->usual[literal.liked != 0];
}

nln_rating_grades nln_rating_grades_fit(const nln_ratings *r, int n)
{
    nln_rating_grades g = {.n = n, .least = INFINITY, .most = -INFINITY};
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
        return (nln_rating_grades){.n = n};
    for (size_t i = 0; i < r->n; i++)
        if (nln_ratings_split(r, i) == NLN_TRAIN)
            count[nln_ratings_liked(r, i)][nln_rating_grades_grade(&g, (double)r->rating[i])]++;
    for (int liked = 0; liked < 2; liked++) {
        g.usual[liked] = 1;
        for (int grade = 2; grade <= n; grade++)
            if (count[liked][grade] > count[liked][g.usual[liked]])
                g.usual[liked] = grade;
    }
    return g;
}

nln_rating_grades nln_rating_grades_apply(const nln_ratings *r, const nln_rating_grades *trained)
{
    nln_rating_grades g = *trained;
    int of_labels = g.least >= 0 && g.most <= 1;
    if (g.n && !of_labels && nln_ratings_are_labels(r))
        g.least = g.most = 0;
    return g;
}
