// SPDX-License-Identifier: Apache-2.0
// The tables behind losses.h.
#include "model/losses.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace syncline {
namespace {

constexpr LossFacts kLosses[] = {
#define SYNCLINE_LOSS(name, meaning, remedy) {#name, meaning, remedy},
#include "inject/core/losses.def"
#undef SYNCLINE_LOSS
};

// A full ring may have been that of a thread that only had ranges: nobody counted by kind.
constexpr uint32_t kMayBeOfDevices[] = {
    kLoss_ring_full,      kLoss_no_ring,       kLoss_no_segment,      kLoss_disk_full,
    kLoss_consumer_gone,  kLoss_damaged,       kLoss_cupti_dropped,   kLoss_cupti_flush,
    kLoss_gpu_unfinished, kLoss_cupti_garbage, kLoss_gpu_undelivered,
};

constexpr DegradedFacts kSteps[] = {
    {kRingsStoppedGrowing, "rings_stopped_growing", "the process's memory for records was used up"},
    {kThreadsWithoutRing, "threads_without_ring", "threads recorded nothing for want of memory"},
    {kNoDoorbell, "no_doorbell", "the launcher did not answer in time and polled instead"},
    {kAnonymousMemory, "anonymous_memory", "records would not have survived the process's death"},
    {kFileMemory, "file_memory", "records were kept in a file instead of memory"},
    {kSmallSegment, "small_segment", "a resource limit made the memory for records smaller"},
    {kNoAddressSpace, "no_address_space", "ulimit -v left no room for more rings"},
};

// Of GPU work alone, or of what the program did wrong.
constexpr Loss kNotOfTheHost[] = {kLoss_cupti_dropped, kLoss_cupti_flush,     kLoss_gpu_unfinished,
                                  kLoss_cupti_garbage, kLoss_gpu_undelivered, kLoss_unbalanced_pop,
                                  kLoss_too_many_open, kLoss_unsupported};

}  // namespace

const LossFacts& FactsOfLoss(uint32_t kind) { return kLosses[kind]; }

uint64_t TotalLosses(const LossCounts& losses) {
  return std::accumulate(losses.begin(), losses.end(), uint64_t{0});
}

bool LostHostRecords(const LossCounts& losses) {
  uint64_t others = 0;
  for (const Loss kind : kNotOfTheHost) others += losses[kind];
  return TotalLosses(losses) > others;
}

bool MayBeOfDevices(const LossCounts& losses) {
  return std::any_of(std::begin(kMayBeOfDevices), std::end(kMayBeOfDevices),
                     [&](uint32_t kind) { return losses[kind] != 0; });
}

std::vector<const DegradedFacts*> DegradedSteps(uint32_t degraded) {
  std::vector<const DegradedFacts*> steps;
  for (const DegradedFacts& step : kSteps) {
    if ((degraded & step.bit) != 0) steps.push_back(&step);
  }
  return steps;
}

}  // namespace syncline
