/* nln_normal_form of nln.h: an expression as the network computes it, as text. */
#include <string.h>

#include "logic/parse.h"
#include "models/model.h"

/* Replaces the one expression of the list by its dual. */
static nln_status take_dual(nln_exprs *list, nln_error *err)
{
    nln_exprs dual = {.atoms = list->atoms};
    nln_status status = nln_model_append_dual(&dual, nln_exprs_get(list, 0), err);
    nln_exprs_free(list);
    *list = dual;
    return status;
}

nln_status nln_normal_form(char **out, const nln_model *model, const char *expression, int dual,
                           nln_error *err)
{
    nln_exprs parsed = {0}, list = {0};
    nln_atoms *atoms = NULL;
    *out = NULL;
    nln_status status = nln_atoms_create(&atoms, err);
    nln_vocabulary names = nln_model_names(model, atoms);
    if (!status)
        status =
            nln_parse(&parsed, &names, 0, expression, strlen(expression), NLN_DIALECT_TEXT, err);
    if (!status)
        status = nln_model_ground(&list, model, atoms, nln_exprs_get(&parsed, 0), err);
    if (!status && dual)
        status = take_dual(&list, err);
    if (!status)
        status = nln_print(out, nln_exprs_get(&list, 0), &names, err);
    nln_exprs_free(&parsed);
    nln_exprs_free(&list);
    nln_atoms_free(atoms);
    return status;
}
