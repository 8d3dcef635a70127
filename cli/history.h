/* history.h: counts over the steps or episodes of a simulation. */
#ifndef SONDE_CLI_HISTORY_H
#define SONDE_CLI_HISTORY_H

#include "session.h"

typedef struct cli_history cli_history;
/* Of an agent that learns, before its first step; `by_step` notes every step, otherwise episodes
 * alone. NULL without memory. */
cli_history *history_new(const sonde_agent *agent, bool by_step, int32_t n_most);
void history_free(cli_history *history);
/* Notes what has been learned by now. */
void history_note(cli_history *history, const sonde_agent *agent);
/* Tells of an episode; `at_home`: its world is the model, so that states are those of the model. */
void history_tell(cli_history *history, const sonde_model *model, const sonde_episode *episode,
                  bool at_home);
/* As a pair of a document, "history": {...}, with counts and episodes where they are few or `all`
 * are wanted; and as a picture. */
void history_write(const cli_history *history, const sonde_model *model, bool all,
                   sonde_text *json);
void history_draw(const cli_history *history, const sonde_model *model, sonde_text *svg);
bool history_by_step(const cli_history *history);
/* "win | left": the row of number k of the n that an array has, and its column. */
void history_label(const sonde_model *model, sonde_letter letter, int32_t i, int32_t n, int32_t k,
                   sonde_text *text);

#endif
