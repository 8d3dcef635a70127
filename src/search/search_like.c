/* search_like.c: the conventions of other packages, by name.
 *
 * Sonde names its conventions; these are the ones that others take without naming them. */
#include "sonde.h"

static const struct {
    const char *name;
    const char *about;
    sonde_preferences preferences;
    sonde_information information;
    double gamma;
    double alpha;
    sonde_action_rule action;
    bool per_factor;
    int32_t inference;
} table[] = {
    {.name = "pymdp",
     .about =
         "pymdp 1.0: C counts linearly, information of each modality, the first action of the most probable "
         "policy, its 16 rounds of inference",
     .preferences = SONDE_PREFERENCES_UTILITY,
     .information = SONDE_INFORMATION_PER_MODALITY,
     .gamma = 1.0,
     .alpha = 1.0,
     .action = SONDE_ACTION_BEST,
     .per_factor = false,
     .inference = SONDE_INFERENCE_PYMDP},
    {.name = "pymdp-legacy",
     .about =
         "pymdp 0.0.7: softmax(C), joint information, the most probable action of each factor, its rounds "
         "of inference; it adds exp(-16) inside a logarithm, which Sonde does not",
     .preferences = SONDE_PREFERENCES_LOG,
     .information = SONDE_INFORMATION_JOINT,
     .gamma = 16.0,
     .alpha = 16.0,
     .action = SONDE_ACTION_DETERMINISTIC,
     .per_factor = true,
     .inference = SONDE_INFERENCE_PYMDP_LEGACY},
    {.name = "spm",
     .about =
         "SPM12's spm_MDP_VB_X: softmax(C), joint information, sampling with precision 512; its message "
         "passing, precision updates and Occam window are not imitated, nor is the present step scored",
     .preferences = SONDE_PREFERENCES_LOG,
     .information = SONDE_INFORMATION_JOINT,
     .gamma = 1.0,
     .alpha = 512.0,
     .action = SONDE_ACTION_MARGINAL,
     .per_factor = false,
     .inference = SONDE_INFERENCE_DEFAULT},
};
#define N_LIKE ((int32_t)(sizeof table / sizeof *table))

const char *sonde_like_name(int32_t like) {
    return like >= 0 && like < N_LIKE ? table[like].name : NULL;
}

const char *sonde_like_apply(int32_t like, sonde_model_settings *model,
                             sonde_search_settings *search) {
    if (like < 0 || like >= N_LIKE) {
        return NULL;
    }
    if (model != NULL) {
        model->preferences = (int32_t)table[like].preferences;
        model->information = (int32_t)table[like].information;
    }
    if (search != NULL) {
        search->gamma = table[like].gamma;
        search->alpha = table[like].alpha;
        search->action = table[like].action;
        search->per_factor = table[like].per_factor;
        search->inference = table[like].inference;
    }
    return table[like].about;
}
