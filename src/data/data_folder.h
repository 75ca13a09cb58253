/* The files of a data set's folder: train, valid and test, and perhaps one with the
 * true values of the variables; or facts and rules. */
#ifndef NLN_DATA_DATA_FOLDER_H
#define NLN_DATA_DATA_FOLDER_H

#include "base/atomic_file.h"
#include "base/input.h"

/* The parts of a data set: the splits, by nln_split, then the variables; and those that stand for
 * train where there is none. */
enum { NLN_PART_VARIABLES = NLN_TEST + 1, NLN_PART_FACTS, NLN_PART_RULES, NLN_PARTS };

typedef struct nln_folder {
    char *path;
    char *names[NLN_PARTS]; /* NULL where there is no such file */
} nln_folder;

/* Finds the parts by name: any prefix before `train`, `valid` (also `validation`,
 * `dev`), `test`, `variables`, `facts` or `rules`, then .tsv, .csv, .txt, .inter, .dat or nothing,
 * then .gz, .zst or nothing.  Two files for one part are an error. */
nln_status nln_folder_list(nln_folder *out, const char *path, nln_error *err);
void nln_folder_free(nln_folder *folder);
/* NLN_INVALID, with the expected names, when the part is missing. */
nln_status nln_folder_need(const nln_folder *folder, int part, nln_error *err);
nln_status nln_folder_open(nln_input **in, const nln_folder *folder, int part, nln_error *err);

/* Whether the path is a folder. */
int nln_folder_exists(const char *path);
/* Makes the folder unless it exists. */
nln_status nln_folder_make(const char *path, nln_error *err);
/* Opens the file of a part for writing: train.tsv, valid.tsv, test.tsv or variables.tsv. */
nln_status nln_folder_create(nln_output **out, const char *folder, int part, nln_error *err);

#endif
