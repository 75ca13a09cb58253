/* Any bytes as a DIMACS file.  What is accepted has the clauses that its header announces, with
 * literals in range, and becomes as many expressions; what is refused has a sentence. */
#include "data/cnf.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    nln_cnf *cnf = NULL;
    nln_data *data = NULL;
    nln_input *in;
    nln_error err = {0};
    size_t before = nln_memory_used();
    nln_status status = nln_input_memory(&in, bytes, n_bytes, "fuzz", &err);
    if (!status)
        status = nln_cnf_read_input(&cnf, in, &err);
    require_told(status, &err);
    require((status == NLN_OK) == (cnf != NULL));
    for (size_t i = 0; cnf && i < cnf->n_literals; i++) {
        int64_t literal = cnf->literal[i];
        require(literal && literal <= (int64_t)cnf->n_variables &&
                -literal <= (int64_t)cnf->n_variables);
    }
    require(!cnf || !cnf->n_clauses || cnf->start[cnf->n_clauses] == cnf->n_literals);
    if (cnf && cnf->n_variables < 1000) {
        require(nln_cnf_data(&data, cnf, &err) == NLN_OK);
        require(nln_data_size(data, NLN_TRAIN) == nln_cnf_clauses(cnf));
    }
    nln_data_free(data);
    nln_cnf_free(cnf);
    nln_input_close(in);
    require(nln_memory_used() == before);
    return 0;
}
