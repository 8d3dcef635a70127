/* search_certificate.c: what a search can say about how close its decision is to the exact one
 * (docs/math.md, "Certificates" and "Rounding").
 *
 * Two things keep a posterior from being exact: policies that were not looked at, whose mass is at
 * most R, and rounding. A computed G is within r (G + K) of the exact one (efe_rounding.c), so a
 * policy's mass is within a factor of exp(gamma r (G + K)). No policy that matters has a large G:
 * averaged over the posterior, gamma (G + K) is at most ln N + gamma K - ln F, so all masses
 * together are off by no more than
 *
 *     e^x - 1,   x = r (ln N + gamma K - ln F) / (1 - r) + what adding them up adds
 *
 * relative to their sum F. N is the number of policies; where they have a prior, it sums to 1 and
 * so does N. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text.h"
#include "search/search_internal.h"

/* G is rounded finely enough to say that no policy is better if two are told apart at this,
 * relative and absolute */
#define FINE 1e-10
#define FINE_AT_ALL 1e-6
/* beyond this exponent nothing is said of masses */
#define COARSE 0.5

/* Policies that the present decision chooses from. */
static double find_size(const sonde__search *search) {
    return sonde_policies_size_real(search->policies, search->decision.origin);
}

/* ln of their number, at most. */
static double find_log_size(const sonde__search *search) {
    const sonde_policies *policies = search->policies;
    const sonde_model *model = policies->model;
    if (model->E != NULL) {
        return 0.0;
    }
    const double found = find_size(search);
    const double size = found < 1.0 ? 1.0 : found;
    const double n_start = sonde__space_of(policies)->global ? (double)policies->n_origin : 1.0;
    return size < 1e300 ? sonde__log(size)
                        : sonde__log(n_start) + policies->horizon * sonde__log(model->n_action);
}

/* What adding up n masses of policies can be off by, relative. */
double sonde__evidence_sum(const sonde__search *search, uint64_t n, uint64_t n_merged) {
    const double merge = 4.0 * search->log_size + 84.0;
    return SONDE__UNIT * (6.0 * ((double)n + 10.0) + merge * (double)n_merged);
}

/* The same for sums over the edges of a graph, step by step, in logs: every step rounds the
 * logarithm. */
static double find_sweep(const sonde__search *search, double spread) {
    const sonde_model *model = search->policies->model;
    const double step = 2.0 * search->log_size + spread + search->rounding.n_out + 10.0;
    return SONDE__UNIT * (4.0 * (search->policies->horizon + 1.0) * step + 2.0 * model->n_action);
}

void sonde__evidence_prepare(sonde__search *search) {
    sonde__rounding_fill(search->policies, &search->rounding);
    search->log_size = find_log_size(search);
}

void sonde__evidence_all(sonde__search *search, bool all) {
    sonde__evidence_prepare(search);
    search->evidence =
        (sonde__evidence){.given = all,
                          .log_rest = -INFINITY,
                          .least = INFINITY,
                          .best = INFINITY,
                          .sum = sonde__evidence_sum(search, search->posterior.n_policy, 0)};
}

/* By how much rounding can change masses of this sum: the exponent. */
static double find_exponent(const sonde__search *search, double log_mass, double offset) {
    const sonde__rounding *rounding = &search->rounding;
    const sonde__evidence *evidence = &search->evidence;
    const double gamma = search->settings.gamma;
    const double exact = search->log_size - log_mass + gamma * offset;
    const double spread = exact > 0.0 ? exact : 0.0;
    const double sum = evidence->swept ? find_sweep(search, spread) : evidence->sum;
    return 1.001 * (rounding->relative * spread + gamma * evidence->merged + sum);
}

/* e^x - 1, at least; 1 where that is no statement. */
static double share_of(double exponent) {
    return exponent < COARSE ? exponent + exponent * exponent : 1.0;
}

sonde__doubt sonde__certificate_doubt(const sonde__search *search, double log_mass) {
    const sonde__rounding *rounding = &search->rounding;
    const double log_rest = search->evidence.log_rest;
    if (!(log_mass > -INFINITY)) {
        return (sonde__doubt){.bare = 1.0, .open = 1.0, .rest = INFINITY};
    }
    const double exponent = find_exponent(search, log_mass, rounding->offset);
    double rest = 0.0;
    double bare = 0.0;
    if (log_rest > -INFINITY) {
        const double open = find_exponent(search, log_rest, rounding->offset + rounding->ahead);
        rest = sonde__exp(log_rest + open + exponent - log_mass);
        bare = 1.0 / (1.0 + sonde__exp(log_mass - log_rest));
    }
    return (sonde__doubt){.bare = bare,
                          .open = rest < INFINITY ? rest / (1.0 + rest) : 1.0,
                          .rounding = find_size(search) > 1.0 ? share_of(exponent) : 0.0,
                          .rest = rest};
}

/* Whether the largest of n probabilities is larger than all others by more than what is not
 * known. */
static bool leads(int32_t n, const double *p, const sonde__doubt *doubt) {
    double first = 0.0;
    double second = 0.0;
    for (int32_t i = 0; i < n; i++) {
        second = p[i] > first ? first : p[i] > second ? p[i] : second;
        first = p[i] > first ? p[i] : first;
    }
    const bool alone = n == 1 && doubt->rest == 0.0;
    return alone || first - second > doubt->rest + doubt->rounding + SONDE__TIE;
}

/* Whether what the action is chosen among has a leader: nodes, first actions, or each factor's
 * own. */
static bool has_leader(const sonde__search *search, const sonde__doubt *doubt) {
    const sonde_model *model = search->policies->model;
    const sonde_decision *decision = &search->decision;
    if (decision->n_to > 0) {
        return leads(decision->n_to, decision->to_posterior, doubt);
    }
    if (!search->settings.per_factor) {
        return leads(decision->n_action, decision->posterior, doubt);
    }
    bool all = true;
    const double *marginal = decision->marginal;
    for (int32_t f = 0; f < model->n_factor; f++) {
        all = all && leads(model->factor[f].n_action, marginal, doubt);
        marginal += model->factor[f].n_action;
    }
    return all;
}

void sonde__certify(sonde__search *search) {
    const sonde__evidence *evidence = &search->evidence;
    sonde_decision *decision = &search->decision;
    if (!evidence->given) {
        return;
    }
    const double best = evidence->best < INFINITY ? evidence->best : decision->best_efe.efe;
    const sonde__doubt doubt = sonde__certificate_doubt(search, decision->log_evidence);
    const double tv = doubt.open + doubt.rounding;
    /* of two G that are compared both are rounded */
    const double rounding = 2.0 * (sonde__rounding_of(&search->rounding, best) + evidence->merged);
    const double least = evidence->least - search->rounding.relative * search->rounding.ahead;
    const double below = best > least ? best - least : 0.0;
    const bool fine = rounding <= FINE * (1.0 + fabs(best)) && rounding <= FINE_AT_ALL;
    const bool optimal = fine && best <= least + sonde__tie(best);
    const bool tied = optimal && below + rounding <= sonde__tie(best);
    const bool reached = tv <= search->settings.epsilon && (optimal || evidence->stopped == NULL);
    decision->certificate = (sonde_certificate){
        .given = true,
        .tv = tv < 1.0 ? tv : 1.0,
        .best_is_optimal = optimal,
        .gap = tied ? 0.0 : below + rounding,
        .action_is_exact = has_leader(search, &doubt),
        .stopped = reached                     ? NULL
                   : evidence->stopped != NULL ? evidence->stopped
                                               : "rounding",
    };
}

void sonde_certificate_say(const sonde_certificate *certificate, sonde_text *text) {
    if (!certificate->given) {
        return;
    }
    /* three digits make 1 of more than this, and within 1 is everything */
    if (certificate->tv < 0.9995) {
        sonde_text_add(text, "within ");
        sonde__text_add_rounded(text, 3, certificate->tv);
        sonde_text_add(text, " of the exact posterior (total variation)");
    } else {
        sonde_text_add(text, "nothing is known of how close the posterior is to the exact one");
    }
    if (certificate->best_is_optimal) {
        sonde_text_add(text, "; no policy is better");
    } else {
        sonde_text_add(text, "; a policy could be better by ");
        sonde__text_add_rounded(text, 4, certificate->gap);
    }
    sonde_text_add(text, certificate->action_is_exact
                             ? "; the most probable action is certain"
                             : "; the most probable action is not certain");
    if (certificate->stopped != NULL && strcmp(certificate->stopped, "rounding") == 0) {
        sonde_text_add(text, "; nothing but rounding is left");
    } else if (certificate->stopped != NULL) {
        sonde_text_add(text, "; stopped by its %s", certificate->stopped);
    }
    if (certificate->belief != NULL) {
        static const char *const known[] = {"initial", "given"};
        const bool told = strcmp(certificate->belief, known[0]) == 0 ||
                          strcmp(certificate->belief, known[1]) == 0;
        sonde_text_add(text, told ? "; from the %s belief" : "; from the belief of %s inference",
                       certificate->belief);
    }
}
