/* nln_fill and nln_fill_reasons of nln.h: entities for the hole of a question. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "inference/link_reasons.h"
#include "logic/parse.h"

/* ---- questions to a model of links ---------------------------------------------------------- */

typedef struct word {
    const char *start;
    size_t length;
} word;

static word trimmed(const char *start, const char *end)
{
    while (start < end && (*start == ' ' || *start == '\t'))
        start++;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return (word){start, (size_t)(end - start)};
}

static int is_hole(word w)
{
    return w.length == 1 && *w.start == '?';
}

/* `r(a, b)` cut at its parentheses and at a comma, so that names need no quotes; whether that makes
 * a relation of the model and one hole, and an entity of the model. */
static int read_plain(nln_link_question *q, const nln_model *m, const char *text)
{
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close < open || trimmed(close + 1, close + strlen(close)).length)
        return 0;
    word r = trimmed(text, open);
    q->relation = nln_symbols_find(m->links->relations, r.start, r.length);
    for (const char *comma = strchr(open, ','); q->relation >= 0 && comma && comma < close;
         comma = strchr(comma + 1, ',')) {
        word a = trimmed(open + 1, comma), b = trimmed(comma + 1, close);
        if (is_hole(a) == is_hole(b))
            continue;
        word known = is_hole(a) ? b : a;
        q->entity = nln_symbols_find(m->symbols, known.start, known.length);
        if (q->entity < 0)
            continue;
        if (is_hole(a))
            q->relation = nln_fact_index_inverse(m->links->facts, q->relation);
        return 1;
    }
    return 0;
}

/* The number of a name of the model, or an error that says which one may have been meant. */
static nln_status look_up(int32_t *id, const nln_symbols *names, const char *what, const char *name,
                          nln_error *err)
{
    *id = nln_symbols_find(names, name, strlen(name));
    if (*id >= 0)
        return NLN_OK;
    const char *near = nln_symbols_nearest(names, name, strlen(name));
    if (near)
        return nln_error_set(err, NLN_UNKNOWN, "the model has no %s '%.80s'; did you mean '%.80s'?",
                             what, name, near);
    return nln_error_set(err, NLN_UNKNOWN, "the model has no %s '%.80s'", what, name);
}

/* The same as an atom of the language, with quotes where names need them. */
static nln_status read_atom(nln_link_question *q, const nln_model *m, const nln_exprs *parsed,
                            const nln_vocabulary *names, nln_error *err)
{
    nln_expr e = nln_exprs_get(parsed, 0);
    nln_atom atom = {0};
    if (e.n_nodes == 1 && e.nodes[0].op == NLN_OP_ATOM)
        atom = nln_atoms_get(names->atoms, e.nodes[0].arg);
    if (atom.n_arguments != 2 ||
        (atom.argument[0] == NLN_ARGUMENT_HOLE) == (atom.argument[1] == NLN_ARGUMENT_HOLE))
        return nln_error_set(err, NLN_INVALID,
                             "a question to a model of links is one relation with one hole, such "
                             "as works_for(ann, ?) or works_for(?, acme)");
    int asks_head = atom.argument[0] == NLN_ARGUMENT_HOLE;
    nln_status status =
        look_up(&q->relation, m->links->relations, "relation",
                nln_symbols_name(names->relations->predicates, atom.predicate), err);
    if (!status)
        status =
            look_up(&q->entity, m->symbols, "entity",
                    nln_symbols_name(names->relations->entities, atom.argument[asks_head]), err);
    if (!status && asks_head)
        q->relation = nln_fact_index_inverse(m->links->facts, q->relation);
    return status;
}

static nln_status read_question(nln_link_question *q, const nln_model *m, const char *text,
                                nln_error *err)
{
    *q = (nln_link_question){0};
    if (read_plain(q, m, text))
        return NLN_OK;
    nln_exprs parsed = {0};
    nln_vocabulary names = {.variables = nln_symbols_create(), .holes = 1};
    nln_status status =
        names.variables ? nln_relations_create(&names.relations, err) : nln_error_memory(err);
    if (!status)
        status = nln_atoms_create(&names.atoms, err);
    if (!status)
        status = nln_parse(&parsed, &names, 1, text, strlen(text), NLN_DIALECT_TEXT, err);
    if (!status)
        status = read_atom(q, m, &parsed, &names, err);
    nln_exprs_free(&parsed);
    nln_atoms_free(names.atoms);
    nln_relations_free(names.relations);
    nln_symbols_free(names.variables);
    return status;
}

/* score and by_rules are [entities]. */
static nln_status score_links(double *score, double *by_rules, const nln_model *m,
                              const nln_link_question *q, nln_error *err)
{
    nln_link_scorer *s = NULL;
    nln_status status = nln_link_scorer_create(&s, m, err);
    if (!status)
        status = nln_link_scorer_read(s, q, 1, err);
    if (!status) {
        nln_link_scorer_rules(by_rules, s, 0);
        nln_link_scorer_scores(score, s, 0);
    }
    for (size_t e = 0; !status && e < nln_model_variables(m); e++)
        by_rules[e] *= m->links->by_rules > 0 ? m->links->by_rules : 0;
    nln_link_scorer_free(s);
    return status;
}

/* ---- questions to a model of expressions ------------------------------------------------------
 */

/* Appends the expression with `entity` in the place of the hole. */
static nln_status append_filled(nln_exprs *list, const nln_model *m, nln_atoms *atoms, nln_expr e,
                                int32_t entity, nln_error *err)
{
    nln_exprs filled = {0};
    nln_status status = NLN_OK;
    for (int32_t i = 0; !status && i < e.n_nodes; i++) {
        nln_node node = e.nodes[i];
        if (node.op == NLN_OP_ATOM) {
            int32_t argument[NLN_MOST_ARGUMENTS];
            nln_atom atom = nln_atoms_get(atoms, node.arg);
            for (int32_t k = 0; k < atom.n_arguments; k++)
                argument[k] = atom.argument[k] == NLN_ARGUMENT_HOLE ? entity : atom.argument[k];
            node.arg = nln_atoms_intern(atoms, atom.predicate, argument, atom.n_arguments);
            if (node.arg < 0)
                status = nln_error_memory(err);
        }
        if (!status)
            status = nln_exprs_push(&filled, (nln_op)node.op, node.arg, err);
    }
    if (!status)
        status = nln_exprs_finish(&filled, err);
    if (!status)
        status = nln_model_ground(list, m, atoms, nln_exprs_get(&filled, 0), err);
    nln_exprs_free(&filled);
    return status;
}

static int has_hole(nln_expr e, const nln_atoms *atoms)
{
    for (int32_t i = 0; i < e.n_nodes; i++) {
        if (e.nodes[i].op != NLN_OP_ATOM)
            continue;
        nln_atom atom = nln_atoms_get(atoms, e.nodes[i].arg);
        for (int32_t k = 0; k < atom.n_arguments; k++)
            if (atom.argument[k] == NLN_ARGUMENT_HOLE)
                return 1;
    }
    return 0;
}

static nln_status score_expression(double *score, const nln_model *m, const char *text,
                                   nln_error *err)
{
    nln_exprs parsed = {0}, list = {0};
    nln_atoms *atoms = NULL;
    nln_status status = nln_atoms_create(&atoms, err);
    nln_vocabulary names = nln_model_names(m, atoms);
    names.holes = 1;
    if (!status)
        status = nln_parse(&parsed, &names, 0, text, strlen(text), NLN_DIALECT_TEXT, err);
    if (!status && !has_hole(nln_exprs_get(&parsed, 0), atoms))
        status = nln_error_set(err, NLN_INVALID,
                               "the question has no hole; write ? for the entity that is asked "
                               "for, as in parent(ann, ?)");
    for (size_t e = 0; !status && e < nln_model_entities(m); e++)
        status = append_filled(&list, m, atoms, nln_exprs_get(&parsed, 0), (int32_t)e, err);
    if (!status)
        status = nln_model_scores(score, m, &list, m->config.orders, 1, err);
    nln_exprs_free(&parsed);
    nln_exprs_free(&list);
    nln_atoms_free(atoms);
    return status;
}

/* ---- answers ----------------------------------------------------------------------------------
 */

static int compare(const void *x, const void *y)
{
    const nln_filling *a = x, *b = y;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return a->entity < b->entity ? -1 : a->entity > b->entity;
}

static nln_status check_entities(const nln_model *m, nln_error *err)
{
    return nln_model_entities(m)
               ? NLN_OK
               : nln_error_set(err, NLN_INVALID,
                               "the model has no entities; questions with a hole are for models of "
                               "triples (--task link) or of atoms such as parent(ann, bob)");
}

/* The entities that may be answers, in any order. */
static nln_status list_answers(nln_filling *all, size_t *n, const nln_model *m, const char *text,
                               int with_known, nln_error *err)
{
    size_t n_entities = nln_model_entities(m);
    double *score = nln_array_zeroed(n_entities, sizeof *score);
    double *by_rules = nln_array_zeroed(n_entities, sizeof *by_rules);
    nln_link_question q = {0};
    nln_status status = score && by_rules ? NLN_OK : nln_error_memory(err);
    if (!status && m->links)
        status = read_question(&q, m, text, err);
    if (!status)
        status = m->links ? score_links(score, by_rules, m, &q, err)
                          : score_expression(score, m, text, err);
    *n = 0;
    for (size_t e = 0; !status && e < n_entities; e++) {
        int known =
            m->links && nln_fact_index_has(m->links->facts, q.entity, q.relation, (int32_t)e);
        if (!known || with_known)
            all[(*n)++] = (nln_filling){e, score[e], by_rules[e], known};
    }
    nln_free(score);
    nln_free(by_rules);
    return status;
}

nln_status nln_fill(nln_filling *out, size_t *n, size_t k, const nln_model *model,
                    const char *question, int with_known, nln_error *err)
{
    size_t n_all = 0;
    *n = 0;
    nln_status status = check_entities(model, err);
    if (status)
        return status;
    nln_filling *all = nln_array_zeroed(nln_model_entities(model), sizeof *all);
    if (!all)
        return nln_error_memory(err);
    status = list_answers(all, &n_all, model, question, with_known, err);
    if (!status && n_all > 1)
        qsort(all, n_all, sizeof *all, compare);
    if (!status)
        *n = n_all < k ? n_all : k;
    if (*n)
        memcpy(out, all, *n * sizeof *out);
    nln_free(all);
    return status;
}

nln_status nln_fill_reasons(nln_link_reason **reasons, size_t *n, const nln_model *model,
                            const char *question, size_t entity, nln_error *err)
{
    nln_link_reasons found = {0};
    nln_link_question q;
    *reasons = NULL;
    *n = 0;
    if (!model->links)
        return nln_error_set(err, NLN_INVALID, "only a model of links has reasons for answers");
    if (entity >= nln_model_entities(model))
        return nln_error_set(err, NLN_INVALID, "the model has no entity number %zu", entity);
    nln_status status = read_question(&q, model, question, err);
    if (!status)
        status = nln_link_reasons_find(&found, model, q.entity, q.relation, (int32_t)entity, err);
    if (status) {
        nln_free(found.list);
        return status;
    }
    *reasons = found.list;
    *n = found.n;
    return NLN_OK;
}
