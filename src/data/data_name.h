/* The name of the data in the record of a model: the last part of their path, which says nothing
 * about the machine. */
#ifndef NLN_DATA_DATA_NAME_H
#define NLN_DATA_DATA_NAME_H

enum { NLN_DATA_NAME_ROOM = 128 };

/* Valid UTF-8 without control characters, cut if it is too long; "" for the standard input. */
void nln_data_name(char out[NLN_DATA_NAME_ROOM], const char *path);

#endif
