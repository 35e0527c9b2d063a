// SPDX-License-Identifier: Apache-2.0
// The processes that a child has started, and their ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace syncline {

struct LivingProcess {
  pid_t pid = 0;
  uint64_t started = 0;  // tells it from a later one of that number
  bool operator==(const LivingProcess&) const = default;
};

// Those below `root`, without helpers of ours: who runs this very executable.
std::vector<LivingProcess> ProcessesBelow(pid_t root);

// To those that still live. How many these are.
size_t SignalAll(const std::vector<LivingProcess>& processes, int signal);

}  // namespace syncline
