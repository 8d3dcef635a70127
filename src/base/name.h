/* name.h: what may be a name of a node, a state, an outcome or an action. */
#ifndef SONDE_BASE_NAME_H
#define SONDE_BASE_NAME_H

#include <stdint.h>

/* bytes of a name, at most */
enum { SONDE__NAME_MAX = 4096 };
/* The code of the first control character in a name (shown.h), which a terminal might obey; 0 if
 * there is none. */
int sonde__name_control(const char *name);
/* The first byte of a name that belongs to no character in UTF-8, so that documents cannot have it;
 * 0 if there is none. */
int sonde__name_broken(const char *name);
/* sonde_name_nearest, in a list of names that does not have the word. */
const char *sonde__name_nearest(const char *const *name, int32_t n_name, const char *word);

#endif
