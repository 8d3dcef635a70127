/* efe_pick.c: which way of scoring serves which policies. A program of the tests puts its own in
 * the place of this file. */
#include "efe/efe_score.h"

const sonde__scoring *sonde__score_pick(const sonde_policies *policies) {
    if (policies->model->graph != NULL) {
        return &sonde__walk;
    }
    return policies->place != NULL ? &sonde__product : &sonde__plain;
}
