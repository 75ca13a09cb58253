#include "data/grade_scale.h"

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
