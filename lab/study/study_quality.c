/* study_quality.c: the built-in plans that go beyond the paper.
 *
 * `quality` is every search and embedding on the same decisions: how far from exact, for how many
 * policies scored. A line of its figure is the settings of one search, so that a new search or
 * embedding is a row here. The last model has a posterior so broad that no bound can help. `scaling` is
 * what a decision costs as worlds grow and plans get longer, each search as far as it goes. */
#include "study/study_internal.h"

#define EVERYWHERE "  {\"group\": \"quality\", "
#define GRAPHS EVERYWHERE "\"sizes\": [3, 4, 5, 6], "
#define LARGE EVERYWHERE "\"sizes\": [7, 8], \"graphs\": 3, \"restarts\": 1, "
#define MODELS                                                                                     \
    EVERYWHERE "\"models\": [\"tmaze\", \"bandit\", \"weights\", \"grid 5 by 5\", \"broad\"], "    \
               "\"restarts\": 1,\n   "
#define LARGE_MODELS EVERYWHERE "\"models\": [\"chaining\", \"grid 7 by 7\"], \"restarts\": 1,\n   "

#define TREE "\"search\": \"tree\", \"k\": 6, \"depth\": [2, 3], \"top\": [1, 3]},\n"
#define SURROGATE "\"search\": \"surrogate\", \"budget\": [100, 300, 1000]},\n"
#define ADAPTIVE "\"search\": \"cluster\", \"probe\": \"adaptive\", \"samples\": [60, 240]},\n"
#define CLUSTER "\"search\": \"cluster\", \"top\": [1, 3], \"k\": "

const char sonde__plan_quality[] =
    "{\"format\": \"sonde-plan\", \"version\": 1, \"name\": \"quality\", \"seed\": 1, "
    "\"steps\": 10, \"judge\": 3,\n"
    " \"worlds\": {\"sizes\": [3, 4, 5, 6, 7, 8], \"graphs\": 6, \"models\": [\n"
    "  {\"model\": \"tmaze\", \"steps\": 1}, {\"model\": \"bandit\", \"steps\": 1},\n"
    "  {\"model\": \"weights\", \"steps\": 1},\n"
    "  {\"model\": \"grid5\", \"name\": \"grid 5 by 5\", \"steps\": 1},\n"
    "  {\"model\": \"chaining\", \"steps\": 1},\n"
    "  {\"model\": \"grid\", \"name\": \"grid 7 by 7\", \"steps\": 1},\n"
    "  {\"model\": \"grid\", \"name\": \"broad\", \"horizon\": 6, \"gamma\": 0.02, "
    "\"steps\": 1}]},\n"
    " \"conditions\": [\n" EVERYWHERE "\"search\": \"full\"},\n" EVERYWHERE
    "\"search\": \"bounded\", \"epsilon\": [0.5, 0.1, 0.01, 0.001, 1e-6]},\n" EVERYWHERE
    "\"search\": \"random\", \"budget\": [10, 100, 1000, 10000, 100000]},\n" EVERYWHERE
    "\"search\": \"beam\", \"beam\": [1, 4, 16, 64, 256, 1024]},\n" GRAPHS TREE LARGE TREE MODELS
        TREE GRAPHS SURROGATE LARGE SURROGATE MODELS SURROGATE GRAPHS ADAPTIVE MODELS ADAPTIVE
            GRAPHS CLUSTER "[4, 12, 36], \"embedding\": [\"boe\",\n"
    "   \"boe-set\", \"aboe\", \"aboe-onehot\", \"aboe-edges\", \"edm\", \"boa\", \"boa-set\",\n"
    "   \"timed\", \"occupancy\", \"ends\", \"value\", \"walk2vec\"]},\n" GRAPHS CLUSTER
    "\"auto\", \"embedding\": \"boe\"},\n" GRAPHS CLUSTER
    "[4, 12, 36], \"method\": \"ward\", \"embedding\": \"boe\"},\n" EVERYWHERE
    "\"sizes\": [3, 4], " CLUSTER "[4, 12, 36], \"embedding\": \"ngram\"},\n" LARGE CLUSTER
    "[12, 36],\n"
    "   \"embedding\": [\"boe\", \"aboe\", \"edm\", \"value\", \"walk2vec\"]},\n" MODELS CLUSTER
    "[4, 12, 36],\n"
    "   \"embedding\": [\"boa\", \"boa-set\", \"edm\", \"timed\", \"ends\"]},\n" MODELS CLUSTER
    "12, \"embedding\": [\"ngram\", \"occupancy\", \"value\"]},\n" LARGE_MODELS CLUSTER
    "[12, 36], \"embedding\": [\"boa\", \"edm\", \"ends\"]}]}\n";

const char sonde__plan_scaling[] =
    "{\"format\": \"sonde-plan\", \"version\": 1, \"name\": \"scaling\", \"seed\": 1, "
    "\"steps\": 3,\n"
    " \"worlds\": {\"sizes\": [10, 30, 100, 300, 1000, 3000, 10000], \"graphs\": 5},\n"
    " \"conditions\": [\n"
    "  {\"group\": \"scaling-nodes\", \"search\": \"bounded\", \"horizon\": [6, 50]},\n"
    "  {\"group\": \"scaling-nodes\", \"search\": \"full\", \"horizon\": 6},\n"
    "  {\"group\": \"scaling-nodes\", \"sizes\": [10, 30, 100], \"search\": \"cluster\", "
    "\"k\": 12, \"horizon\": 6},\n"
    "  {\"group\": \"scaling-horizon\", \"sizes\": [1000], \"search\": \"bounded\",\n"
    "   \"horizon\": [2, 4, 6, 8, 10, 20, 50, 100, 200]},\n"
    "  {\"group\": \"scaling-horizon\", \"sizes\": [1000], \"search\": \"full\", \"horizon\": "
    "[2, 4, 6, 8, 10]},\n"
    "  {\"group\": \"scaling-horizon\", \"sizes\": [30], \"search\": \"cluster\", \"k\": 12, "
    "\"horizon\": [2, 4, 6]}]}\n";
