/* How far two names are apart, to say which one may have been meant. */
#ifndef NLN_BASE_EDIT_DISTANCE_H
#define NLN_BASE_EDIT_DISTANCE_H

enum { NLN_EDIT_DISTANCE_FAR = 64 }; /* of names that are too long to be compared */

/* How many letters must be added, taken away or changed to get from a to b; _ is the same as -. */
int nln_edit_distance(const char *a, const char *b);
/* Whether `name` begins with `prefix`, by the same letters. */
int nln_edit_distance_begins(const char *name, const char *prefix);
/* Whether `candidate` may have been meant by `name`, and is nearer than *least, which starts as
 * NLN_EDIT_DISTANCE_FAR and is then set to its distance: at most two letters differ and no more
 * than half, or the name is where the candidate begins. */
int nln_edit_distance_nearer(int *least, const char *name, const char *candidate);

#endif
