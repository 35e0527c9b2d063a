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
  uint32_t correlation = 0;
  uint32_t process = 0;  // of the rank
  CollectiveKind kind = CollectiveKind::kAllReduce;
};

struct RankCollectives {
  int rank = -1;
  uint64_t error_ns = 0;               // of its times
  std::vector<Collective> done;        // those of one communicator in the order of their launches
  std::map<uint64_t, uint32_t> sizes;  // of communicators: how many ranks they have
};

struct Arrival {
  uint32_t sequence = 0;   // of this communicator's collectives, from 0
  int last_rank = -1;      // of the job; -1: all came together, as far as the clocks can tell
  uint64_t waited_ns = 0;  // this rank for the last one
};

// By rank and collective as given. Empty where nothing can be said: a rank of the communicator was
// not recorded here, or records of its are missing, so that kernels which cannot be of one
// collective would be put together; from there on nothing is said of that communicator.
std::vector<std::vector<std::optional<Arrival>>> FindArrivals(
    std::span<const RankCollectives> ranks);

}  // namespace syncline
