/* Training from labelled expressions. */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/random.h"
#include "data/data_fingerprint.h"
#include "logic/grounding.h"
#include "training/logic_refinement.h"

/* A unit of an epoch: a line, or one instance of a quantified line. */
typedef struct unit {
    int32_t line;
    int32_t part; /* of a forall; or one of the following */
} unit;

/* The line itself; some instances of a true forall, which are true together; and the same with one
 * of them negated, which are not. */
enum { WHOLE = -1, SOME = -2, BROKEN = -3 };
/* A line that is no line: a random expression over atoms whose labels are known, with the value
 * that follows from these.  Rules alone are all true, and would teach OR to be true of anything. */
enum { ENTAILED = -1 };

typedef struct logic_source {
    nln_source base;
    const nln_data *data;
    const nln_exprs *asked; /* the training set or, where it has duals, `both` */
    nln_exprs both;         /* line i, and its dual at the number of lines + i */
    real *truth;            /* [asked->n] labels, ... */
    real *weight;           /* ... and their weights; NULL if all are 1 */
    int32_t *index;         /* [lines] of a request */

    /* Where some line is quantified. */
    nln_atoms *atoms; /* those of the data, and of all instances that are measured */
    int32_t n_kept;   /* atoms that stay; the others are of the last batch */
    nln_exprs lines;  /* the training set in prenex normal form */
    unit *known;      /* [n_known] lines that are one atom: its number, and its label */
    size_t n_known;
    int8_t *label_of;     /* [n_kept] by atom: a label of these lines plus 1, or 0 */
    nln_facts *facts;     /* its atoms that are true */
    unit *units;          /* [base.n]; NULL where every unit is a line */
    nln_exprs drawn;      /* the expressions of the last batch, */
    real *drawn_truth;    /* their labels, */
    real *drawn_weight;   /* their weights, if there are any, */
    int32_t *drawn_index; /* and 0, 1, 2, ... */
    size_t units_room, truth_room, weight_room, index_room;
    nln_grounding grounding;
    int duals;            /* half of the units are drawn as their duals */
    nln_labelled kept[3]; /* labels without those of expressions that are left out; else empty */
    size_t n_left_out;
} logic_source;

static uint64_t fingerprint(const nln_source *base)
{
    return nln_data_fingerprint_logic(((const logic_source *)base)->data);
}

static nln_status append_duals(logic_source *s, nln_error *err)
{
    const nln_exprs *list = s->asked;
    nln_status status = NLN_OK;
    s->both.atoms = list->atoms;
    for (size_t i = 0; !status && i < 2 * list->n; i++)
        status = i < list->n
                     ? nln_exprs_append(&s->both, nln_exprs_get(list, i), err)
                     : nln_model_append_dual(&s->both, nln_exprs_get(list, i - list->n), err);
    s->asked = &s->both;
    return status;
}

static int is_quantified(nln_expr e)
{
    return nln_node_is_quantifier(e.nodes[e.n_nodes - 1]);
}

/* The lines that are one atom and true; one whose label is between is no fact. */
static nln_status find_facts(logic_source *s, nln_error *err)
{
    const nln_labelled *train = &s->data->split[NLN_TRAIN];
    int32_t *list = nln_array_zeroed(train->exprs.n, sizeof *list), n = 0;
    s->known = nln_array_zeroed(train->exprs.n, sizeof *s->known);
    for (size_t i = 0; list && s->known && i < train->exprs.n; i++) {
        nln_expr e = nln_exprs_get(&train->exprs, i);
        if (e.n_nodes != 1 || e.nodes[0].op != NLN_OP_ATOM ||
            (train->soft && train->soft[i] > 0 && train->soft[i] < 1))
            continue;
        s->known[s->n_known++] = (unit){e.nodes[0].arg, train->labels[i]};
        if (train->labels[i])
            list[n++] = e.nodes[0].arg;
    }
    nln_status status = list && s->known ? nln_facts_create(&s->facts, s->atoms, list, n, err)
                                         : nln_error_memory(err);
    nln_free(list);
    return status;
}

static nln_status add_unit(logic_source *s, int32_t line, int32_t part, nln_error *err)
{
    if (!NLN_ARRAY_RESERVE(s->units, s->units_room, s->base.n + 1))
        return nln_error_memory(err);
    s->units[s->base.n++] = (unit){line, part};
    return NLN_OK;
}

/* A true forall is learned instance by instance, since each of them is true.  That long ANDs are
 * true or false is learned from some instances with and without one that is negated: one of each
 * for this many instances. */
enum { INSTANCES_OF_AN_AND = 16 };

static nln_status list_units(logic_source *s, nln_error *err)
{
    nln_status status = NLN_OK;
    const uint8_t *label = s->base.truths[NLN_TRAIN].label;
    for (size_t i = 0; !status && i < s->lines.n; i++) {
        nln_expr e = nln_exprs_get(&s->lines, i);
        size_t parts = is_quantified(e) && label[i] ? nln_ground_parts(&s->grounding, e) : 1;
        for (size_t k = 0; !status && parts > 1 && k < parts; k++) {
            status = add_unit(s, (int32_t)i, (int32_t)k, err);
            for (int32_t kind = BROKEN; k % INSTANCES_OF_AN_AND == 0 && kind < WHOLE; kind++)
                status = status ? status : add_unit(s, (int32_t)i, kind, err);
        }
        if (!status)
            status = add_unit(s, (int32_t)i, WHOLE, err);
    }
    size_t n_entailed = s->n_known ? s->base.n / 2 : 0;
    for (size_t i = 0; !status && i < n_entailed; i++)
        status = add_unit(s, ENTAILED, 0, err);
    return status;
}

/* Says how many instances the quantified lines have, and how many of them an epoch has. */
static void note_instances(logic_source *s)
{
    size_t n = 0, taken = 0;
    uint64_t all = 0;
    for (size_t i = 0; i < s->lines.n; i++) {
        nln_expr e = nln_exprs_get(&s->lines, i);
        nln_instances count = nln_ground_count(&s->grounding, e);
        if (!is_quantified(e))
            continue;
        n++;
        all = nln_count_add(all, count.all);
        taken += count.made;
    }
    snprintf(s->base.note, sizeof s->base.note,
             "%zu quantified lines have %s%" PRIu64
             " instances over %d entities; an epoch takes %zu",
             n, all == NLN_COUNT_MOST ? "at least " : "", all, (int)s->grounding.n_entities, taken);
}

/* The labels of the lines that are not left out. */
static nln_status keep_labels(logic_source *s, nln_split split, const uint8_t *left_out,
                              nln_error *err)
{
    const nln_labelled *set = &s->data->split[split];
    nln_truths all = nln_labelled_truths(set);
    nln_labelled *kept = &s->kept[split];
    nln_status status = NLN_OK;
    for (size_t i = 0; !status && i < set->exprs.n; i++) {
        if (left_out[i])
            continue;
        kept->exprs.n++; /* labels alone */
        status = nln_labelled_add(kept, nln_truths_label(&all, i), nln_truths_weight(&all, i), err);
    }
    kept->exprs.n = 0;
    s->base.truths[split] = nln_labelled_truths(kept);
    return status;
}

/* Notes an expression that has no form within the limit; the first of them is named. */
static void leave_out(logic_source *s, nln_split split, size_t i, nln_error *reason)
{
    nln_data_place(reason, split, i);
    if (s->n_left_out++ == 0)
        snprintf(s->base.note, sizeof s->base.note, "left out: %.120s", reason->message);
}

/* The expressions of a split as they are measured.  One that has no form within the limit of
 * clauses is left out. */
static nln_status read_split(logic_source *s, nln_model *model, nln_split split, nln_error *err)
{
    const nln_exprs *list = &s->data->split[split].exprs;
    nln_exprs *out = &s->base.exprs[split];
    uint8_t *left_out = nln_array_zeroed(list->n, 1);
    size_t before = s->n_left_out;
    nln_status status = left_out ? NLN_OK : nln_error_memory(err);
    s->base.truths[split] = nln_labelled_truths(&s->data->split[split]);
    for (size_t i = 0; !status && i < list->n; i++) {
        nln_expr e = nln_exprs_get(list, i);
        nln_error reason = {0};
        nln_status read = nln_model_ground(out, model, s->atoms, e, &reason);
        left_out[i] = read == NLN_LIMIT;
        if (left_out[i])
            leave_out(s, split, i, &reason);
        else if (!read && model->relations && split == NLN_TRAIN)
            read = nln_model_prenex(&s->lines, model, s->atoms, e, &reason);
        if (!left_out[i] && (status = read)) {
            nln_data_place(&reason, split, i);
            if (err)
                *err = reason;
        }
    }
    if (!status && s->n_left_out > before)
        status = keep_labels(s, split, left_out, err);
    nln_free(left_out);
    return status;
}

/* How many others are left out besides the first. */
static void note_left_out(logic_source *s)
{
    size_t n = strlen(s->base.note);
    if (s->n_left_out > 1)
        snprintf(s->base.note + n, sizeof s->base.note - n, "; and %zu others", s->n_left_out - 1);
}

/* The labels of all that is asked, with those of the duals. */
static nln_status list_labels(logic_source *s, nln_error *err)
{
    nln_source *base = &s->base;
    const nln_truths *given = &base->truths[NLN_TRAIN];
    s->truth = nln_array_zeroed(s->asked->n, sizeof *s->truth);
    s->weight = given->weight ? nln_array_zeroed(s->asked->n, sizeof *s->weight) : NULL;
    s->index = nln_array_zeroed(base->n, sizeof *s->index);
    if (!s->truth || !s->index || (given->weight && !s->weight))
        return nln_error_memory(err);
    for (size_t i = 0; i < s->asked->n; i++) {
        size_t line = i < base->n ? i : i - base->n;
        real truth = (real)nln_truths_label(given, line);
        s->truth[i] = i < base->n ? truth : 1 - truth;
        if (s->weight)
            s->weight[i] = (real)given->weight[line];
    }
    for (size_t i = 0; s->weight && i < base->n; i++)
        base->mass += (double)s->weight[i];
    if (s->weight && base->n && !(base->mass > 0))
        return nln_error_set(err, NLN_INVALID,
                             "every weight is 0; give some expression of train a weight above it");
    return NLN_OK;
}

/* Messages need variables that are points of the arc, and nothing else. */
static nln_status choose_refinement(nln_source *base, const nln_model *model, nln_error *err)
{
    const nln_config *c = &model->config;
    int able = model->n_networks && c->embedding == NLN_EMBED_ARC && !model->relations;
    if (able && c->message_sweeps)
        base->refine = nln_logic_refinement_make;
    if (able || nln_options_source(model->options, "message-sweeps") < NLN_FROM_FILE)
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID,
                         "option --message-sweeps needs --embedding arc and data without "
                         "predicates: leave it out");
}

static nln_status open(nln_source *base, nln_model *model, nln_error *err)
{
    logic_source *s = (logic_source *)base;
    model->origin = s->data->origin;
    nln_status status = choose_refinement(base, model, err);
    if (!status)
        status = s->data->atoms ? nln_atoms_copy(&s->atoms, s->data->atoms, err)
                                : nln_atoms_create(&s->atoms, err);
    for (int split = 0; !status && split < 3; split++)
        status = read_split(s, model, (nln_split)split, err);
    if (status)
        return status;
    int quantified = 0;
    note_left_out(s);
    base->n = base->exprs[NLN_TRAIN].n;
    model->longest = model->widest = 0;
    for (size_t i = 0; i < base->n; i++) {
        nln_expr e = nln_exprs_get(&base->exprs[NLN_TRAIN], i);
        double n = (double)nln_expr_literals(e), width = (double)nln_expr_widest(e);
        model->longest = fmax(model->longest, fmin(n, NLN_MODEL_MOST_LONGEST));
        model->widest = fmax(model->widest, fmin(width, NLN_MODEL_MOST_LONGEST));
    }
    s->asked = &base->exprs[NLN_TRAIN];
    s->duals = model->config.duals;
    if (model->config.duals && (status = append_duals(s, err)))
        return status;
    if ((status = list_labels(s, err)))
        return status;
    for (size_t i = 0; i < s->lines.n; i++)
        quantified |= is_quantified(nln_exprs_get(&s->lines, i));
    if (!quantified)
        return NLN_OK;
    base->n = 0;
    base->mass = 0;
    if ((status = find_facts(s, err)))
        return status;
    s->n_kept = s->atoms->n;
    if (!(s->label_of = nln_array_zeroed((size_t)s->n_kept, sizeof *s->label_of)))
        return nln_error_memory(err);
    for (size_t i = 0; i < s->n_known; i++)
        s->label_of[s->known[i].line] = (int8_t)(1 + s->known[i].part);
    s->grounding = (nln_grounding){s->atoms, nln_model_entity_rows(model), s->facts,
                                   (size_t)model->config.groundings};
    status = list_units(s, err);
    if (!status)
        note_instances(s);
    return status;
}

/* The AND of a random number of instances, the last of which may be negated; short ones are as
 * probable as long ones.  `value` is its value where the rule holds. */
static nln_status draw_some(int *value, logic_source *s, nln_expr e, int broken, nln_random *random,
                            nln_error *err)
{
    size_t parts = nln_ground_parts(&s->grounding, e), most = 2;
    while (most < parts && nln_random_next(random) >> 62)
        most *= 2;
    size_t n = 2 + nln_random_below(random, (most < parts ? most : parts) - 1);
    nln_exprs one = {0};
    nln_status status = NLN_OK;
    for (size_t i = 0; !status && i < n; i++) {
        size_t part = nln_random_below(random, parts);
        one.n = one.n_nodes = 0;
        status = nln_ground_part(&one, &s->grounding, e, part, random, err);
        if (!status)
            status = nln_exprs_push_all(&s->drawn, nln_exprs_get(&one, 0), err);
        if (!status && broken && i == n - 1)
            status = nln_exprs_push(&s->drawn, NLN_OP_NOT, 0, err);
    }
    if (!status)
        status = nln_exprs_push(&s->drawn, NLN_OP_AND, (int32_t)n, err);
    *value = !broken;
    nln_exprs_free(&one);
    return status ? status : nln_exprs_finish(&s->drawn, err);
}

/* Whether an instance is an OR of literals all of which but one are false by the labels of the
 * lines.  That one, which the lines do not know, then follows. */
static int is_conclusion(nln_node literal[2], int *n_nodes, const logic_source *s, nln_expr e)
{
    int32_t n_literals = 0, n_open = 0, last = e.n_nodes - 1;
    if (e.nodes[last].op != NLN_OP_OR)
        return 0;
    for (int32_t i = 0; i < last; i++, n_literals++) {
        nln_node atom = e.nodes[i];
        int negated = e.nodes[i + 1].op == NLN_OP_NOT;
        if (atom.op != NLN_OP_ATOM)
            return 0;
        int known = atom.arg < s->n_kept ? s->label_of[atom.arg] : 0;
        if (known && (known - 1) != negated) /* it holds as it is */
            return 0;
        if (!known) {
            memcpy(literal, e.nodes + i, (size_t)(1 + negated) * sizeof *literal);
            *n_nodes = 1 + negated;
            n_open++;
        }
        i += negated;
    }
    return n_open == 1 && n_literals == e.nodes[last].arg;
}

/* One instance of a true forall.  Where it leaves a single conclusion, half of the time that stands
 * in its place: an OR may be learned to be true without it. */
static nln_status draw_instance(logic_source *s, nln_expr e, size_t part, nln_random *random,
                                nln_error *err)
{
    nln_node literal[2];
    int n = 0;
    nln_status status = nln_ground_part(&s->drawn, &s->grounding, e, part, random, err);
    if (status || !(nln_random_next(random) >> 63) ||
        !is_conclusion(literal, &n, s, nln_exprs_get(&s->drawn, s->drawn.n - 1)))
        return status;
    s->drawn.n_nodes = s->drawn.start[--s->drawn.n];
    for (int i = 0; !status && i < n; i++)
        status = nln_exprs_push(&s->drawn, (nln_op)literal[i].op, literal[i].arg, err);
    return status ? status : nln_exprs_finish(&s->drawn, err);
}

/* An OR of ANDs, or an AND of ORs, of one to three literals each, of which there are one to three;
 * returns its value. */
static nln_status draw_entailed(int *value, logic_source *s, nln_random *random, nln_error *err)
{
    enum { MOST = 3 };
    nln_op sum = nln_random_next(random) >> 63 ? NLN_OP_AND : NLN_OP_OR;
    nln_op product = sum == NLN_OP_AND ? NLN_OP_OR : NLN_OP_AND;
    int32_t n = 1 + (int32_t)nln_random_below(random, MOST);
    nln_status status = NLN_OK;
    *value = sum == NLN_OP_AND;
    for (int32_t i = 0; !status && i < n; i++) {
        int32_t n_literals = 1 + (int32_t)nln_random_below(random, MOST);
        int clause = product == NLN_OP_AND;
        for (int32_t k = 0; !status && k < n_literals; k++) {
            unit known = s->known[nln_random_below(random, s->n_known)];
            int negated = nln_random_next(random) >> 63 != 0, literal = known.part != negated;
            clause = product == NLN_OP_AND ? clause & literal : clause | literal;
            status = nln_exprs_push(&s->drawn, NLN_OP_ATOM, known.line, err);
            if (!status && negated)
                status = nln_exprs_push(&s->drawn, NLN_OP_NOT, 0, err);
        }
        if (!status && n_literals > 1)
            status = nln_exprs_push(&s->drawn, product, n_literals, err);
        *value = sum == NLN_OP_AND ? *value & clause : *value | clause;
    }
    if (!status && n > 1)
        status = nln_exprs_push(&s->drawn, sum, n, err);
    return status ? status : nln_exprs_finish(&s->drawn, err);
}

/* Puts the dual of the last drawn expression in its place. */
static nln_status make_dual(logic_source *s, nln_error *err)
{
    nln_exprs plain = {0};
    nln_status status = nln_exprs_append(&plain, nln_exprs_get(&s->drawn, s->drawn.n - 1), err);
    s->drawn.n_nodes = s->drawn.start[--s->drawn.n];
    if (!status)
        status = nln_model_append_dual(&s->drawn, nln_exprs_get(&plain, 0), err);
    nln_exprs_free(&plain);
    return status;
}

/* Lines as they are, and quantified ones over instances that are drawn anew. */
static nln_status draw_instances(nln_request *out, logic_source *s, const int32_t *units, int32_t n,
                                 uint64_t key, nln_error *err)
{
    nln_status status = NLN_OK;
    nln_random random = nln_random_seed(key, 6);
    nln_atoms_truncate(s->atoms, s->n_kept);
    s->drawn.n = s->drawn.n_nodes = 0;
    s->drawn.atoms = s->atoms;
    if (!NLN_ARRAY_RESERVE(s->drawn_truth, s->truth_room, (size_t)n) ||
        !NLN_ARRAY_RESERVE(s->drawn_index, s->index_room, (size_t)n) ||
        (s->weight && !NLN_ARRAY_RESERVE(s->drawn_weight, s->weight_room, (size_t)n)))
        return nln_error_memory(err);
    for (int32_t i = 0; !status && i < n; i++) {
        unit u = s->units[units[i]];
        int entailed = u.line == ENTAILED, value = 1;
        real truth = entailed ? 1 : s->truth[u.line];
        nln_expr e = nln_exprs_get(&s->lines, entailed ? 0 : (size_t)u.line);
        s->drawn_index[i] = i;
        if (entailed)
            status = draw_entailed(&value, s, &random, err);
        else if (!is_quantified(e))
            status = nln_exprs_append(&s->drawn, e, err);
        else if (u.part == WHOLE)
            status = nln_ground(&s->drawn, &s->grounding, e, &random, err);
        else if (u.part < 0)
            status = draw_some(&value, s, e, u.part == BROKEN, &random, err);
        else
            status = draw_instance(s, e, (size_t)u.part, &random, err);
        if (!status && s->duals && nln_random_next(&random) >> 63) {
            status = make_dual(s, err);
            value = !value;
        }
        s->drawn_truth[i] = value ? truth : 1 - truth;
        if (s->weight)
            s->drawn_weight[i] = entailed ? 1 : s->weight[u.line];
    }
    out->exprs = &s->drawn;
    out->truth = s->drawn_truth;
    out->weight = s->weight ? s->drawn_weight : NULL;
    out->index = s->drawn_index;
    return status;
}

/* Each unit as it is or, for one half of them drawn anew each time, its dual. */
static nln_status draw(nln_request *out, nln_source *base, const int32_t *units, int32_t n,
                       uint64_t key, nln_error *err)
{
    logic_source *s = (logic_source *)base;
    int32_t dual = s->asked == &s->both ? (int32_t)base->n : 0;
    *out = (nln_request){.loss_kind = NLN_LOSS_LABELS,
                         .exprs = s->asked,
                         .truth = s->truth,
                         .weight = s->weight,
                         .index = s->index,
                         .unit = units,
                         .n = n,
                         .key = key};
    if (s->units)
        return draw_instances(out, s, units, n, key, err);
    for (int32_t i = 0; i < n; i++)
        s->index[i] =
            units[i] + (nln_random_mix(key ^ nln_random_mix((uint64_t)units[i])) >> 63 ? dual : 0);
    return NLN_OK;
}

static void count(int32_t *frequency, const nln_source *base)
{
    const nln_exprs *list = &base->exprs[NLN_TRAIN];
    for (size_t i = 0; i < list->n_nodes; i++)
        if (list->nodes[i].op == NLN_OP_VAR)
            frequency[list->nodes[i].arg]++;
}

static void release(nln_source *base)
{
    logic_source *s = (logic_source *)base;
    for (int split = 0; split < 3; split++) {
        nln_exprs_free(&base->exprs[split]);
        nln_labelled_free(&s->kept[split]);
    }
    nln_exprs_free(&s->both);
    nln_free(s->index);
    nln_exprs_free(&s->lines);
    nln_exprs_free(&s->drawn);
    nln_facts_free(s->facts);
    nln_atoms_free(s->atoms);
    nln_free(s->units);
    nln_free(s->known);
    nln_free(s->label_of);
    nln_free(s->drawn_truth);
    nln_free(s->drawn_weight);
    nln_free(s->weight);
    nln_free(s->drawn_index);
    nln_free(s->truth);
    nln_free(base);
}

nln_status nln_source_of_expressions(nln_source **out, const nln_data *data, nln_error *err)
{
    logic_source *s = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    s->base = (nln_source){.data = NLN_DATA_EXPRESSIONS,
                           .names = data->symbols,
                           .relations = data->relations,
                           .fingerprint = fingerprint,
                           .data_name = data->name,
                           .newest = NAN,
                           .open = open,
                           .loss_kind = NLN_LOSS_LABELS,
                           .draw = draw,
                           .count = count,
                           .measure = nln_source_measure_labels,
                           .free = release};
    for (int i = NLN_TRAIN; i <= NLN_TEST; i++)
        s->base.rows[i] = nln_data_size(data, (nln_split)i);
    s->data = data;
    *out = &s->base;
    return NLN_OK;
}
