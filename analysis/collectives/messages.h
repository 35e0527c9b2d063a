// SPDX-License-Identifier: Apache-2.0
// Which rank waited for another one's sends or receives, and how long: from the kernels of all
// ranks of a job, on one machine's clock.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/findings/collective.h"

namespace syncline {

// One rank's part in a message that both ends have a record of.
struct MessageWait {
  int other = -1;          // rank of the job at the other end
  uint64_t waited_ns = 0;  // for its kernel to begin; 0: it came first, or too close to tell
};

struct MessageWaits {
  // By rank and message as given; empty where nothing can be said.
  std::vector<std::vector<std::optional<MessageWait>>> waits;
  std::vector<LeftOutCounts> left_out;  // by rank: messages of which nothing is said, and why
};

// The n-th send of a communicator from one rank to another meets the n-th receive there from it:
// NCCL demands one order. Whose kernel begins first waits for the other one, but for a send that
// was over by then: it fitted into buffers. A kernel with several messages waits for all of them;
// each tells its own. Nothing is said of messages between machines, and none of a pair from the one
// on that cannot have met.
MessageWaits FindMessageWaits(std::span<const RankCollectives> ranks);

}  // namespace syncline
