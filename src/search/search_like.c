/* search_like.c: the conventions of other packages, by name.
 *
 * Sonde names its conventions; these are the ones that others take without naming them. */
#include <float.h>
#include <math.h>

#include "base/settings.h"
#include "sonde_learn.h"

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
    /* in closed loop, where the average is backed up, and gamma is 1 */
    sonde_information closed_information;
    sonde_belief_kind belief_kind;
    sonde_pruning pruning;
    double prune_penalty;
    double stop_entropy;
    double stop_value;
    int32_t max_branching;
    int32_t max_beliefs;
    const char *closed_about;
} table[] = {
    {.name = "pymdp",
     .about =
         "pymdp 1.0: C counts linearly, information of each modality, the first action of the most "
         "probable policy, its 16 rounds of inference",
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
     .least = DBL_EPSILON,
     .closed_information = SONDE_INFORMATION_PER_MODALITY,
     .belief_kind = SONDE_BELIEF_FACTORISED,
     .pruning = SONDE_PRUNING_PYMDP,
     .prune_penalty = 512.0,
     .stop_entropy = 0.5,
     .stop_value = 1e10,
     .max_branching = 10,
     .max_beliefs = 5000,
     .closed_about = "si_policy_search of pymdp 1.0; probabilities sum to 1 where its own may not"},
    {.name = "pymdp-legacy",
     .about =
         "pymdp 0.0.7: softmax(C), joint information, the most probable action of each factor, its "
         "rounds of inference; it adds exp(-16) inside a logarithm, which Sonde does not",
     .preferences = SONDE_PREFERENCES_LOG,
     .information = SONDE_INFORMATION_JOINT,
     .gamma = 16.0,
     .alpha = 16.0,
     .action = SONDE_ACTION_DETERMINISTIC,
     .per_factor = true,
     .inference = SONDE_INFERENCE_PYMDP_LEGACY,
     .learn_information = SONDE_INFORMATION_LEGACY,
     .novelty = SONDE_NOVELTY_INVERSE,
     .eta_D = 1.0,
     .closed_information = SONDE_INFORMATION_PER_MODALITY,
     .belief_kind = SONDE_BELIEF_FACTORISED,
     .pruning = SONDE_PRUNING_PYMDP_LEGACY,
     .prune_penalty = 512.0,
     .stop_entropy = -1.0,
     .stop_value = (double)INFINITY,
     .closed_about = "sophisticated_inference_search of pymdp 0.0.7, exp(-16) included"},
    {.name = "spm",
     .about =
         "SPM12's spm_MDP_VB_X: softmax(C), joint information, sampling with precision 512; its "
         "message passing, precision updates and Occam window are not imitated, nor is the present "
         "step scored",
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
     .eta_D = 1.0,
     .closed_information = SONDE_INFORMATION_PER_MODALITY,
     .belief_kind = SONDE_BELIEF_JOINT,
     .pruning = SONDE_PRUNING_SPM,
     .prune_penalty = 64.0,
     .stop_entropy = -1.0,
     .stop_value = (double)INFINITY,
     .max_branching = 16,
     .closed_about =
         "SPM's spm_MDP_VB_XX; spm_MDP_VB_XXX has factorised beliefs and other terms in G, and is "
         "not imitated"},
};
#define N_LIKE ((int32_t)(sizeof table / sizeof *table))

const char *sonde_like_name(int32_t like) {
    return like >= 0 && like < N_LIKE ? table[like].name : NULL;
}

/* The same in closed loop. */
static void close_loop(int32_t like, sonde_model_settings *model, sonde_search_settings *search) {
    if (model != NULL) {
        model->information = (int32_t)table[like].closed_information;
    }
    search->gamma = 1.0;
    search->search = sonde__search_with(SONDE__PRUNES);
    search->backup = SONDE_BACKUP_AVERAGE;
    search->belief_kind = table[like].belief_kind;
    search->branches = table[like].belief_kind == SONDE_BELIEF_JOINT ? SONDE_BRANCHES_JOINT
                                                                     : SONDE_BRANCHES_MARGINAL;
    search->pruning = table[like].pruning;
    search->prune_penalty = table[like].prune_penalty;
    search->stop_entropy = table[like].stop_entropy;
    search->stop_value = table[like].stop_value;
    search->max_branching = table[like].max_branching;
    search->max_beliefs = table[like].max_beliefs;
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
    if (search != NULL && search->loop == SONDE_LOOP_CLOSED) {
        close_loop(like, model, search);
        return table[like].closed_about;
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
    learn->beliefs_D = SONDE_BELIEFS_FILTERED;
    if (table[like].by_episode) {
        learn->when = SONDE_LEARN_EPISODE;
        learn->beliefs = learn->beliefs_D = SONDE_BELIEFS_SMOOTHED;
    }
    return about;
}
