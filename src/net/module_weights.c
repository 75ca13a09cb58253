#include "net/module_weights.h"

const nln_module_row nln_module_table[NLN_N_MODULES] = {
#define X(operation, name, sort, ...)                   \
    {.op = NLN_OP_##operation,                          \
     .tensor = {name ".in", name ".bias", name ".out"}, \
     .result = (sort),                                  \
     .operand = {__VA_ARGS__},                          \
     .arity = sizeof((nln_sort[]){__VA_ARGS__}) / sizeof(nln_sort)},
    NLN_MODULES(X)
#undef X
};

nln_module_id nln_module_of(nln_op op)
{
    int id = 0;
    while (id < NLN_N_MODULES && nln_module_table[id].op != op)
        id++;
    return (nln_module_id)id;
}

static size_t tensor_size(int module, int tensor, int dim, int hidden)
{
    size_t d = (size_t)dim, h = (size_t)hidden;
    size_t size[] = {[NLN_MODULE_IN] = (size_t)nln_module_table[module].arity * d * h,
                     [NLN_MODULE_BIAS] = h,
                     [NLN_MODULE_OUT] = h * d};
    return size[tensor];
}

size_t nln_modules_size(int dim, int hidden)
{
    size_t n = 0;
    for (int id = 0; id < NLN_N_MODULES; id++)
        for (int tensor = 0; tensor < NLN_N_MODULE_TENSORS; tensor++)
            n += tensor_size(id, tensor, dim, hidden);
    return n;
}

nln_modules nln_modules_view(real *block, int dim, int hidden)
{
    nln_modules m = {0};
    for (int id = 0; id < NLN_N_MODULES; id++) {
        nln_module *at = &m.of[id];
        at->inputs = nln_module_table[id].arity;
        at->in = block;
        at->bias = at->in + tensor_size(id, NLN_MODULE_IN, dim, hidden);
        at->out = at->bias + tensor_size(id, NLN_MODULE_BIAS, dim, hidden);
        block = at->out + tensor_size(id, NLN_MODULE_OUT, dim, hidden);
    }
    return m;
}

nln_net_tensor nln_modules_tensor(const nln_modules *m, int dim, int hidden, int index)
{
    int id = index / NLN_N_MODULE_TENSORS, tensor = index % NLN_N_MODULE_TENSORS;
    const nln_module *at = &m->of[id];
    real *data[] = {
        [NLN_MODULE_IN] = at->in, [NLN_MODULE_BIAS] = at->bias, [NLN_MODULE_OUT] = at->out};
    size_t columns = (size_t)(tensor == NLN_MODULE_OUT ? dim : hidden);
    return (nln_net_tensor){nln_module_table[id].tensor[tensor],
                            tensor_size(id, tensor, dim, hidden) / columns, columns, data[tensor]};
}
