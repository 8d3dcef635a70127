/* name.h: what may be a name of a node, a state, an outcome or an action. */
#ifndef SONDE_BASE_NAME_H
#define SONDE_BASE_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* bytes of a name, at most */
enum { SONDE__NAME_MAX = 4096 };
/* What a name has that none may have, after "expected a name": a control character (shown.h), which
 * a terminal might obey, or a byte that belongs to no character in UTF-8, so that documents cannot
 * have it. False: nothing. */
enum { SONDE__FAULT = 64 };
bool sonde__name_fault(const char *name, char fault[SONDE__FAULT]);
/* sonde_name_nearest, in a list of names that does not have the word. */
const char *sonde__name_nearest(const char *const *name, int32_t n_name, const char *word);

#endif
