/* efe_pick.c: which way of scoring serves which policies. A program of the tests puts its own in
 * the place of this file. */
#include "efe/efe_score.h"

const sonde__scoring *sonde__score_pick(const sonde_policies *policies) {
    if (policies->model->graph != NULL) {
        return &sonde__walk;
    }
    /* what is not linear in the state, or depends on the action, is not in the tables of fans */
    const sonde_model *model = policies->model;
    const bool linear = model->weights.novelty <= SONDE_NOVELTY_JOINT &&
                        model->action_cost == NULL && !sonde__model_shows_actions(model) &&
                        model->information != SONDE_INFORMATION_LEGACY;
    return linear && policies->place != NULL ? &sonde__product : &sonde__plain;
}
