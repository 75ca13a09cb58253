/* What data are called where a model says what it learned from: the last part of their path, which
 * tells nothing of the machine that they lie on. */
#ifndef NLN_DATA_DATA_NAME_H
#define NLN_DATA_DATA_NAME_H

enum { NLN_DATA_NAME_ROOM = 128 };

/* Valid UTF-8 without control characters, cut if it is too long; "" for the standard input. */
void nln_data_name(char out[NLN_DATA_NAME_ROOM], const char *path);

#endif
