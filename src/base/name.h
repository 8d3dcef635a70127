/* name.h: what may be a name of a node, a state, an outcome or an action. */
#ifndef SONDE_BASE_NAME_H
#define SONDE_BASE_NAME_H

/* The code of the first control character in a name (shown.h), which a terminal might obey; 0 if
 * there is none. */
int sonde__name_control(const char *name);

#endif
