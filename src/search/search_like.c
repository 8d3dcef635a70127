/* search_like.c: the conventions of other packages, by name.
 *
 * Sonde names its conventions; these are the ones that others take without naming them. */
#include <float.h>

#include "base/settings.h"

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
    /* of agents that learn */
    sonde_information learn_information;
    sonde_novelty novelty;
    sonde_support support;
    double least;    /* of counts in means */
    bool by_episode; /* from smoothed beliefs */
    double eta_D;    /* 0: D is not learned */
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
     .inference = SONDE_INFERENCE_PYMDP,
     .learn_information = SONDE_INFORMATION_PER_MODALITY,
     .novelty = SONDE_NOVELTY_PRODUCT,
     .support = SONDE_SUPPORT_GROW,
     .least = DBL_EPSILON},
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
     .inference = SONDE_INFERENCE_PYMDP_LEGACY,
     .learn_information = SONDE_INFORMATION_LEGACY,
     .novelty = SONDE_NOVELTY_INVERSE,
     .eta_D = 1.0},
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
     .inference = SONDE_INFERENCE_DEFAULT,
     .learn_information = SONDE_INFORMATION_JOINT,
     .novelty = SONDE_NOVELTY_HALF,
     .by_episode = true,
     .eta_D = 1.0},
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

const char *sonde_like_learn(int32_t like, sonde_model_settings *model,
                             sonde_search_settings *search, sonde_learn_settings *learn) {
    const char *about = sonde_like_apply(like, model, search);
    if (about == NULL) {
        return NULL;
    }
    model->information = (int32_t)table[like].learn_information;
    search->action = SONDE_ACTION_MARGINAL;
    search->per_factor = !table[like].by_episode;
    search->weights.novelty = (int32_t)table[like].novelty;
    if (model->information == SONDE_INFORMATION_LEGACY) {
        search->search = sonde__search_with(SONDE__SCORES_ALL);
    }
    learn->support = table[like].support;
    learn->least = table[like].least;
    learn->eta[SONDE_D] = table[like].eta_D;
    if (table[like].by_episode) {
        learn->when = SONDE_LEARN_EPISODE;
        learn->beliefs = learn->beliefs_D = SONDE_BELIEFS_SMOOTHED;
    }
    return about;
}
