// SPDX-License-Identifier: Apache-2.0
// What the second reading tells of a graph's operations and points.
#pragma once

#include "analysis/prices/replay_graph.h"
#include "model/findings/findings.h"

namespace syncline {

// Collectives: how long others were late for them. Points: whether what came before them was handed
// over by others. `found`: complete, with lines and collectives.
void MarkByFindings(const Findings& found, ReplayGraph* graph);

}  // namespace syncline
