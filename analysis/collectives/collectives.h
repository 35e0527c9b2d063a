// SPDX-License-Identifier: Apache-2.0
// Which rank came last to each collective, and how long the others waited for it: from the kernels
// of all ranks of a job, on one clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/findings/collective.h"
#include "model/findings/collective_words.h"

namespace syncline {

// The collective that a kernel's name means, mangled or not. Empty: the kernel is none in which a
// whole communicator takes part (sends, receives, several operations in one kernel).
std::optional<CollectiveKind> CollectiveOfKernel(std::string_view name);

// Why nothing is said of any other kernel of such a library. Empty: the kernel is of none.
std::optional<LeftOut> LeftOutOfKernel(std::string_view name);

// What such a library's kernel does, in its own word: "AllReduce", "SendRecv". Empty: it is none.
std::string_view WordOfKernel(std::string_view name);

struct Arrival {
  int last_rank = -1;      // of the job; -1: several were so close that the clocks cannot tell
  uint64_t waited_ns = 0;  // how long this rank waited for the last one
  uint64_t late_ns = 0;    // of the last one: how long each other one waited for it at least
};

struct Meetings {
  // By rank and collective as given; empty where nothing can be said.
  std::vector<std::vector<std::optional<Arrival>>> arrivals;
  std::vector<LeftOutCounts> left_out;  // by rank: about how many nothing is said, and why
  // By how much times of two machines may be wrong, at most; 0: all ranks are of one machine.
  uint64_t clock_error_ns = 0;
  uint64_t largest_offset_ns = 0;  // between the clocks of two machines
};

// Nothing is said about a collective if a rank of the communicator is not among `ranks`, has no
// record of the kernel or misses calls. Nor about a communicator's collectives from that one on
// where kernels would be put together that cannot be one collective. `all_ranks`: these are all
// ranks of the job. Then a communicator whose size nobody recorded (a split one) has the ranks that
// used it.
Meetings FindArrivals(std::span<const RankCollectives> ranks, bool all_ranks);

}  // namespace syncline
