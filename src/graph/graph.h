/* graph.h: what later stages may use of graphs besides sonde.h. */
#ifndef SONDE_GRAPH_H
#define SONDE_GRAPH_H

#include "base/json.h"

/* The world in a document that has been parsed, as sonde_graph_read. */
sonde_status sonde__graph_from_json(sonde__reader *reader, const sonde_graph_settings *settings,
                                    uint64_t seed, sonde_graph **graph);

#endif
