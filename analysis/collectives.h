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

#include "inject/core/source.h"

namespace syncline {

enum class CollectiveKind : uint8_t { kAllGather, kAllReduce, kReduceScatter, kBroadcast, kReduce };

// Of an NCCL kernel's name, mangled or not. Empty: it is none in which a whole communicator takes
// part (sends, receives, several operations in one kernel).
std::optional<CollectiveKind> CollectiveOfKernel(std::string_view name);

// What one rank did for one collective. Nanoseconds on the job's line.
struct Collective {
  uint64_t communicator = 0;  // equal in all its ranks
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint32_t sequence = 0;  // of the program's calls for this communicator, from 0
  uint32_t correlation = 0;
  Source source = 0;
  uint8_t device = 0;    // of the source
  uint32_t process = 0;  // of the rank
  CollectiveKind kind = CollectiveKind::kAllReduce;
};

struct RankCollectives {
  int rank = -1;
  uint64_t error_ns = 0;               // of its times
  bool complete = true;                // no call is missing: the numbers are right
  std::vector<Collective> done;        // at most one of each communicator and number
  std::map<uint64_t, uint32_t> sizes;  // of communicators: how many ranks they have
};

struct Arrival {
  int last_rank = -1;      // of the job; -1: of the last ones the clocks cannot tell which
  uint64_t waited_ns = 0;  // this rank for the last one
};

// By rank and collective as given. Empty where nothing can be said: a rank of the communicator was
// not recorded here, has no record of this kernel, or misses calls; and from where on kernels would
// be put together that cannot be one collective.
std::vector<std::vector<std::optional<Arrival>>> FindArrivals(
    std::span<const RankCollectives> ranks);

}  // namespace syncline
