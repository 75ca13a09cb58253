#include "models/method.h"

static const nln_method *const methods[] = {
    &nln_method_nln,        &nln_method_birnn,    &nln_method_bilstm,  &nln_method_marginals,
    &nln_method_popularity, &nln_method_biasedmf, &nln_method_svdpp,   &nln_method_ncf,
    &nln_method_ease,       &nln_method_gru,      &nln_method_itemknn, &nln_method_complex,
    &nln_method_distmult,   &nln_method_transe,   &nln_method_rules,   &nln_method_sasrec,
};

const nln_method *nln_method_get(int model)
{
    return methods[model];
}

const nln_method *nln_method_for(int model, int task)
{
    const nln_method *method = methods[model];
    return task == NLN_TASK_LINK && method->for_links ? method->for_links : method;
}

int nln_method_count(void)
{
    return (int)(sizeof methods / sizeof *methods);
}

unsigned nln_method_abilities(const nln_method *method)
{
    return method->has | (method->learn ? NLN_HAS_STEPS : 0) |
           (method->reads_history ? NLN_HAS_HISTORY : 0);
}
