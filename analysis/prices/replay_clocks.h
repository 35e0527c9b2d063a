// SPDX-License-Identifier: Apache-2.0
// Which threads of a process go on only when another one has done its part.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/prices/replay_graph.h"

namespace syncline {

// Sets ReplayPoint::clock and returns how many clocks there are. `points` by begin. Two threads of
// which one does something while the other waits, or is within a call, go on by themselves: each
// has a clock. Threads that never do so take turns, as PyTorch's main thread and that of autograd:
// what one of them gains the other gains, so they share a clock. A thread that submits nothing and
// hardly ever waits, as the one that pins a DataLoader's batches, holds nobody up: that it was not
// seen beside another one is chance. Threads beyond kMostTurnTakers have a clock of their own.
inline constexpr size_t kMostTurnTakers = 64;
uint32_t AssignClocks(std::vector<ReplayPoint>* points);

}  // namespace syncline
