/* study_quality.c: the built-in plans that go beyond the paper.
 *
 * `quality` is every search and embedding on the same decisions: how far from exact, for how many
 * policies scored. A line of its figure is the settings of one search, so that a new search or
 * embedding is a row here. The last model has a posterior so broad that no bound can help. `scaling` is
 * what a decision costs as worlds grow and plans get longer, each search as far as it goes. */
#include "study/study_internal.h"

#define GRAPHS "\"group\": \"quality\", \"sizes\": [3, 4, 5, 6]"
#define LARGE "\"group\": \"quality\", \"sizes\": [7, 8], \"graphs\": 4"
#define FEW                                                                                        \
    "\"group\": \"quality\", \"graphs\": 4, \"models\": [\"tmaze\", \"bandit\", \"weights\", "     \
    "\"grid 5 by 5\",\n   \"grid 7 by 7, broad\"]"
#define MANY "\"group\": \"quality\", \"graphs\": 4, \"models\": [\"chaining\", \"grid 7 by 7\"]"

#define BOUNDED "\"search\": \"bounded\", \"epsilon\": [0.5, 0.1, 0.01, 0.001, 1e-6]"
#define RANDOM "\"search\": \"random\", \"budget\": [10, 100, 1000, 10000, 100000]"
#define BEAM "\"search\": \"beam\", \"beam\": [1, 4, 16, 64, 256, 1024]"
#define CLUSTER "\"search\": \"cluster\", \"k\": [4, 12, 36], \"top\": [1, 3]"

const char sonde__plan_quality[] =
    "{\"format\": \"sonde-plan\", \"version\": 1, \"name\": \"quality\", \"seed\": 1, "
    "\"steps\": 10, \"judge\": 3,\n"
    " \"worlds\": {\"sizes\": [3, 4, 5, 6], \"graphs\": 10, \"models\": [\n"
    "  {\"model\": \"tmaze\", \"steps\": 1}, {\"model\": \"bandit\", \"steps\": 1},\n"
    "  {\"model\": \"weights\", \"steps\": 1},\n"
    "  {\"model\": \"grid5\", \"name\": \"grid 5 by 5\", \"steps\": 1},\n"
    "  {\"model\": \"chaining\", \"steps\": 1},\n"
    "  {\"model\": \"grid\", \"name\": \"grid 7 by 7\", \"steps\": 1},\n"
    "  {\"model\": \"grid\", \"name\": \"grid 7 by 7, broad\", \"horizon\": 6, \"gamma\": 0.02, "
    "\"steps\": 1}]},\n"
    " \"conditions\": [\n"
    "  {" GRAPHS ", \"search\": [\"full\", \"bounded\"]},\n"
    "  {" LARGE ", \"search\": [\"full\", \"bounded\"]},\n"
    "  {" FEW ", \"search\": \"full\"},\n"
    "  {" MANY ", \"search\": \"full\"},\n"
    "  {" FEW ", " BOUNDED "},\n"
    "  {" MANY ", " BOUNDED "},\n"
    "  {" GRAPHS ", " RANDOM "},\n"
    "  {" LARGE ", " RANDOM "},\n"
    "  {" FEW ", " RANDOM "},\n"
    "  {" MANY ", " RANDOM "},\n"
    "  {" GRAPHS ", " BEAM "},\n"
    "  {" LARGE ", " BEAM "},\n"
    "  {" FEW ", " BEAM "},\n"
    "  {" MANY ", " BEAM "},\n"
    "  {" GRAPHS ", " CLUSTER ", \"embedding\": [\"boe\", \"boe-set\", \"aboe\",\n"
    "   \"aboe-onehot\", \"aboe-edges\", \"edm\", \"boa\", \"boa-set\", \"timed\", \"occupancy\", "
    "\"ends\", \"value\", \"walk2vec\"]},\n"
    "  {\"group\": \"quality\", \"sizes\": [3, 4], " CLUSTER ", \"embedding\": \"ngram\"},\n"
    "  {" LARGE ", \"search\": \"cluster\", \"k\": [12, 36], \"top\": [1, 3], \"restarts\": 1,\n"
    "   \"embedding\": [\"boe\", \"aboe\", \"edm\", \"ends\", \"value\", \"walk2vec\"]},\n"
    "  {" FEW ", " CLUSTER ", \"restarts\": 1,\n"
    "   \"embedding\": [\"boa\", \"boa-set\", \"edm\", \"timed\", \"ends\"]},\n"
    "  {" FEW ", \"search\": \"cluster\", \"k\": 12, \"top\": [1, 3], \"restarts\": 1,\n"
    "   \"embedding\": [\"ngram\", \"occupancy\", \"value\"]},\n"
    "  {" MANY ", \"search\": \"cluster\", \"k\": [12, 36], \"top\": [1, 3], \"restarts\": 1,\n"
    "   \"embedding\": [\"boa\", \"edm\", \"ends\"]}]}\n";

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
