/* closed_plan.c: what is to be done after what is seen, written down from the web of beliefs.
 *
 * From the root on, in each belief that was looked at the action that is most probable there, and
 * the beliefs that may follow it, each once however many ways lead there. The list stands in what
 * is left of the beliefs' own memory; where that is not enough, it says less. */
#include "base/numbers.h"
#include "closed/closed_internal.h"

/* The most probable action of a node, at the middles of their bounds; the lowest of several. */
static int32_t best_of(const sonde__closed *closed, const sonde__node *node) {
    const double gamma = closed->settings.gamma;
    int32_t best = -1;
    double most = 0.0;
    for (int32_t u = 0; u < closed->world.n_action; u++) {
        const sonde__option *option = &node->option[u];
        if (option->legal) {
            const double weight =
                sonde__log(closed->world.prior[u]) - gamma * 0.5 * (option->lower + option->upper);
            if (best < 0 || weight > most + SONDE__TIE * (1.0 + fabs(most))) {
                best = u;
                most = weight;
            }
        }
    }
    return best;
}

/* Beliefs of all histories from a node, of a web in which all were looked at. */
static double count_tree(const sonde__closed *closed) {
    for (int32_t d = closed->world.horizon - 1; d >= 0; d--) {
        for (sonde__node *node = closed->web.peer[d]; node != NULL; node = node->peer) {
            if (node->option == NULL) {
                return (double)NAN;
            }
            node->tree = 1.0;
            for (int32_t u = 0; u < closed->world.n_action; u++) {
                for (int32_t i = 0; i < node->option[u].n_branch; i++) {
                    node->tree += node->option[u].branch[i].child->tree;
                }
            }
        }
    }
    return closed->root->tree;
}

/* A list that grows at the end of the beliefs' memory. */
typedef struct {
    sonde__node **node; /* (n_node) those of the plan, in order */
    sonde_contingency *list;
    sonde_contingency_branch *branch;
    uint64_t most;
    uint64_t most_branch;
    int32_t n_node;
    int32_t n_branch;
} plan;

/* Puts a node into the plan; its place, or -1. */
static int32_t enter(plan *p, sonde__node *node) {
    if (node->mark < 0 && node->option != NULL && (uint64_t)p->n_node < p->most) {
        node->mark = p->n_node;
        p->node[p->n_node++] = node;
    }
    return node->mark;
}

static void write_node(sonde__closed *closed, plan *p, int32_t i) {
    const sonde__joint *world = &closed->world;
    const sonde__node *node = p->node[i];
    const int32_t u = best_of(closed, node);
    const sonde__option *option = &node->option[u];
    const double slack = closed->web.merges ? closed->allowance + 1e-9 : 0.0;
    sonde_contingency *to = &p->list[i];
    *to = (sonde_contingency){.depth = node->depth - closed->root->depth,
                              .action = u,
                              .lower = option->lower - slack * (1.0 + fabs(option->lower)),
                              .upper = option->upper + slack * (1.0 + fabs(option->upper)),
                              .first = p->n_branch};
    for (int32_t k = 0; k < option->n_branch && (uint64_t)p->n_branch < p->most_branch; k++) {
        const sonde__branch *branch = &option->branch[k];
        p->branch[p->n_branch++] = (sonde_contingency_branch){
            .p = branch->chance,
            .next = enter(p, branch->child),
            .outcome = world->tuple + (int64_t)branch->tuple * world->model->n_modality};
        to->n_branch++;
    }
}

void sonde__closed_unwrite(sonde__closed *closed) {
    for (int32_t i = 0; i < closed->n_written; i++) {
        closed->written[i]->mark = -1;
    }
    if (closed->unwritten > 0) {
        closed->web.used = closed->unwritten;
    }
    closed->n_written = 0;
    closed->unwritten = 0;
}

void sonde__closed_write(sonde__closed *closed, sonde_decision *decision) {
    sonde__web *web = &closed->web;
    plan p = {0};
    closed->unwritten = web->used;
    decision->evaluations.tree = closed->way->certifies ? count_tree(closed) : (double)NAN;
    const uint64_t left = web->size - web->used;
    const uint64_t one = sizeof(sonde__node *) + sizeof *p.list;
    const uint64_t most = web->n_expanded < left / 4 / one ? web->n_expanded : left / 4 / one;
    p.most = most < INT32_MAX ? most : INT32_MAX;
    p.node = sonde__web_take(web, p.most, sizeof(sonde__node *));
    p.list = sonde__web_take(web, p.most, sizeof *p.list);
    /* no more branches than there are */
    const uint64_t n_branch = sonde__multiply(p.most, (uint64_t)closed->world.n_tuple);
    const uint64_t fits = left / 4 / sizeof *p.branch;
    p.most_branch = n_branch < fits ? n_branch : fits;
    p.most_branch = p.most_branch < INT32_MAX ? p.most_branch : INT32_MAX;
    p.branch = sonde__web_take(web, p.most_branch, sizeof *p.branch);
    if (p.node == NULL || p.list == NULL || p.branch == NULL || enter(&p, closed->root) < 0) {
        return;
    }
    for (int32_t i = 0; i < p.n_node; i++) {
        write_node(closed, &p, i);
    }
    closed->n_written = p.n_node;
    closed->written = p.node;
    decision->n_contingency = p.n_node;
    decision->contingency = p.list;
    decision->contingent = p.branch;
}
