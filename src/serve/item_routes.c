/* GET /api/v1/items. */
#include "base/array.h"
#include "serve/routes.h"
#include "serve/server.h"

enum { MOST_ITEMS = 10000 };

static void print_item(nln_text *t, const nln_served *served, size_t item)
{
    nln_json_out_string(t, "item", nln_model_variable(served->model, item));
    nln_json_out_string(t, "title", nln_served_title(served, item));
}

nln_handled nln_answer_items(nln_http_request *r)
{
    const char *query = nln_http_request_query(r, "query");
    size_t k = 10;
    if (!nln_http_request_query_size(&k, r, "k", 1, MOST_ITEMS))
        return NLN_ANSWERED;
    if (!r->on_worker)
        return NLN_ON_WORKER;
    size_t *items = nln_array_zeroed(k, sizeof *items);
    if (!items)
        return nln_http_request_fail(r, 503, NULL, "out of memory; try again later");
    size_t found = nln_item_search_find(items, k, r->model->search, query ? query : "");
    nln_http_request_open(r);
    nln_json_out_open(&r->text, "items", '[');
    for (size_t i = 0; i < found && i < k; i++) {
        nln_json_out_open(&r->text, NULL, '{');
        print_item(&r->text, r->model, items[i]);
        nln_json_out_close(&r->text, '}');
    }
    nln_json_out_close(&r->text, ']');
    nln_json_out_count(&r->text, "found", found);
    nln_http_request_close(r);
    nln_free(items);
    return NLN_ANSWERED;
}
