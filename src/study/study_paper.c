/* study_paper.c: the plans that are built in.
 *
 * `paper` is the experiment of the paper on the paper's worlds, under both semantics; then each
 * difference between the paper's text and the authors' notebook on its own, and the two settings
 * that the paper discusses, k and the number of samples, swept. `paper-all` is the same with graphs
 * of 6 nodes and more worlds in the sweeps; `table` is the table alone. Two more are in
 * study_quality.c. */
#include <string.h>

#include "study/study_internal.h"

#define HEAD(name)                                                                                 \
    "{\"format\": \"sonde-plan\", \"version\": 1, \"name\": \"" name "\", \"seed\": 1, "           \
    "\"steps\": 10,\n"

/* the 26 conditions of a size, under both semantics, in the paper's order */
#define TABLE                                                                                      \
    "  {\"group\": \"table\", \"semantics\": [\"text\", \"notebook\"], \"search\": \"full\",\n"    \
    "   \"scope\": [\"local\", \"global\"]},\n"                                                    \
    "  {\"group\": \"table\", \"semantics\": [\"text\", \"notebook\"], \"search\": \"cluster\",\n" \
    "   \"scope\": [\"local\", \"global\"], \"embedding\": [\"edm\", \"boe\", \"aboe\"],\n"        \
    "   \"k\": [6, 12], \"probe\": [\"center\", \"sample\"], \"samples\": 3, \"k_before\": 12}"

/* each difference alone: those of the search, directed worlds, and the paper's softmax */
#define DIFFERENCES                                                                                \
    ",\n  {\"group\": \"difference\", \"differences\": [\"boe\", \"aboe\", \"lookup\", \"lag\",\n" \
    "   \"nearest\", \"empty\", \"order\"], \"search\": \"cluster\", \"scope\": [\"local\", "      \
    "\"global\"],\n"                                                                               \
    "   \"embedding\": [\"edm\", \"boe\", \"aboe\"], \"k\": [6, 12], \"probe\": [\"center\", "     \
    "\"sample\"],\n   \"samples\": 3, \"k_before\": 12},\n"                                        \
    "  {\"group\": \"difference\", \"connect\": \"directed\", \"search\": \"full\", \"scope\": "   \
    "[\"local\", \"global\"]},\n"                                                                  \
    "  {\"group\": \"difference\", \"connect\": \"directed\", \"search\": \"cluster\", "           \
    "\"scope\": [\"local\", \"global\"],\n"                                                        \
    "   \"embedding\": [\"edm\", \"boe\", \"aboe\"], \"k\": [6, 12], \"probe\": [\"center\", "     \
    "\"sample\"], \"samples\": 3},\n"                                                              \
    "  {\"group\": \"difference\", \"action\": \"softmax\", \"search\": \"full\", \"scope\": "     \
    "[\"local\", \"global\"]},\n"                                                                  \
    "  {\"group\": \"difference\", \"action\": \"softmax\", \"search\": \"cluster\", \"scope\": "  \
    "[\"local\", \"global\"],\n"                                                                   \
    "   \"embedding\": [\"edm\", \"boe\", \"aboe\"], \"k\": [6, 12], \"probe\": [\"center\", "     \
    "\"sample\"], \"samples\": 3}"

/* k for the representatives, n for the samples */
#define SWEEP_K(sizes, scope, graphs)                                                              \
    ",\n  {\"group\": \"sweep-k\", \"sizes\": " sizes ", \"graphs\": " graphs                      \
    ", \"search\": \"cluster\", \"scope\": \"" scope "\",\n"                                       \
    "   \"embedding\": \"boe\", \"probe\": \"center\", \"k\": [2, 3, 4, 6, 8, 12, 16, 24, 32, "    \
    "50, 70, 100]}"
#define SWEEP_N(sizes, graphs)                                                                     \
    ",\n  {\"group\": \"sweep-n\", \"sizes\": " sizes ", \"graphs\": " graphs                      \
    ", \"search\": \"cluster\", \"scope\": \"local\",\n"                                           \
    "   \"embedding\": \"boe\", \"probe\": \"sample\", \"k\": 12, \"samples\": [1, 2, 3, 4, 5, "   \
    "6, 7, 8, 9, 10]}"

static const struct {
    const char *name;
    const char *text;
} list[] = {
    {"paper",
     HEAD("paper") " \"worlds\": {\"sizes\": [3, 4, 5], \"graphs\": 40},\n"
                   " \"conditions\": [\n" TABLE DIFFERENCES SWEEP_K("[3, 4, 5]", "local", "10")
                       SWEEP_K("[3, 4]", "global", "10") SWEEP_K("[6]", "local", "2")
                           SWEEP_N("[3, 4, 5]", "10") SWEEP_N("[6]", "2") "]}\n"},
    {"paper-all", HEAD("paper-all") " \"worlds\": {\"sizes\": [3, 4, 5, 6], \"graphs\": 40},\n"
                                    " \"conditions\": [\n" TABLE DIFFERENCES SWEEP_K("[3, 4, 5, 6]",
                                                                                     "local", "40")
                                        SWEEP_K("[3, 4, 5]", "global", "40")
                                            SWEEP_N("[3, 4, 5, 6]", "40") "]}\n"},
    {"table", HEAD("table") " \"worlds\": {\"sizes\": [3, 4, 5], \"graphs\": 40},\n"
                            " \"conditions\": [\n" TABLE "]}\n"},
    {"quality", sonde__plan_quality},
    {"scaling", sonde__plan_scaling},
};
#define N_PLAN ((int32_t)(sizeof list / sizeof *list))

const char *sonde_plan_name(int32_t i) {
    return i >= 0 && i < N_PLAN ? list[i].name : NULL;
}

const char *sonde__plan_builtin(const char *name) {
    const int32_t i = sonde_name_find(sonde_plan_name, name);
    return i >= 0 ? list[i].text : NULL;
}
