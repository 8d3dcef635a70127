/* beside.h: what stands beside a table that sonde simulate wrote, TABLE.json: the agent that the
 * table is of. */
#ifndef SONDE_CLI_BESIDE_H
#define SONDE_CLI_BESIDE_H

#include "session.h"
#include "world.h"

enum { BESIDE_LISTS = 4 };

/* What `args` point to after the document was read. */
typedef struct {
    char *held[BESIDE_LISTS]; /* lists of rates, or NULL */
} cli_beside;

/* Appends the document. */
void beside_write(const cli_arguments *args, const cli_world *world, sonde_text *json);
/* Where it stands; to be freed. */
sonde_text beside_path(const char *data);

/* Settles in `args` what the command line left open, as the document beside args->data says, where
 * there is one, and nobody says whose conventions hold. One that is there and cannot be read, or is
 * of an agent whose actions have no likelihood here, is a failure: other numbers would come out.
 * Close it, whatever it returns. */
sonde_status beside_read(cli_arguments *args, cli_session *session, cli_beside *beside);
void beside_close(cli_beside *beside);

#endif
