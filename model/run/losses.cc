// SPDX-License-Identifier: Apache-2.0
// The tables behind losses.h.
#include "model/run/losses.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <span>

#include "base/text.h"
#include "inject/core/loss_table.h"

namespace syncline {
namespace {

constexpr LossFacts kLosses[] = {
#define SYNCLINE_LOSS(name, of, meaning, remedy) {#name, LossOf::of, meaning, remedy},
#include "all_losses.def"
#undef SYNCLINE_LOSS
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

bool Any(const LossCounts& losses, std::initializer_list<LossOf> of) {
  for (uint32_t kind = 0; kind < kLossKinds; ++kind) {
    const bool meant = std::find(of.begin(), of.end(), kLosses[kind].of) != of.end();
    if (meant && losses[kind] != 0) return true;
  }
  return false;
}

}  // namespace

const LossFacts& FactsOfLoss(uint32_t kind) { return kLosses[kind]; }

const LossFacts* FindLoss(std::string_view name) {
  const auto found = std::find_if(std::begin(kLosses), std::end(kLosses),
                                  [name](const LossFacts& loss) { return name == loss.name; });
  return found == std::end(kLosses) ? nullptr : found;
}

std::string LossText(std::string_view name, uint64_t count) {
  const LossFacts* loss = FindLoss(name);
  if (loss == nullptr) return Text(CountText(count), " because ", name);
  const std::string_view remedy = loss->remedy;
  return Text(CountText(count), " because ", loss->meaning, remedy.empty() ? "" : " (", remedy,
              remedy.empty() ? "" : ")");
}

std::string NoEndText(const std::vector<int>& ranks) {
  std::vector<std::string> numbers;
  for (const int rank : ranks) {
    if (rank >= 0) numbers.push_back(std::to_string(rank));
  }
  std::string what = "a recording has no end: ";
  if (numbers.size() == 1) what = Text("rank ", numbers[0], "'s recording has no end: ");
  if (numbers.size() > 1)
    what = Text("the recordings of ranks ", SomeNames(numbers), " have no end: ");
  return what +
         "up to 100 ms before it are missing, or all since the launcher was killed, if that was "
         "earlier";
}

uint64_t TotalLosses(const LossCounts& losses) {
  return std::accumulate(losses.begin(), losses.end(), uint64_t{0});
}

LossCounts CountedLosses(const SpoolCounters& counters) {
  LossCounts losses{};
  const std::span<const uint64_t, kMaxLossKinds> counted(counters.losses);
  if (counters.loss_table == 0 || counters.loss_table == LossTable()) {
    std::copy_n(counted.begin(), kLossKinds, losses.begin());
  } else {
    losses[kLoss_unknown_kinds] = std::accumulate(counted.begin(), counted.end(), uint64_t{0});
  }
  return losses;
}

uint64_t LostOfDevices(const LossCounts& losses) {
  uint64_t lost = losses[kLoss_unknown_kinds];
  for (uint32_t kind = 0; kind < kLossKinds; ++kind)
    lost += kLosses[kind].of == LossOf::kDevices ? losses[kind] : 0;
  return lost;
}

bool LostHostRecords(const LossCounts& losses) {
  return Any(losses, {LossOf::kThreads, LossOf::kAnything});
}

bool MayBeOfDevices(const LossCounts& losses) {
  return Any(losses, {LossOf::kDevices, LossOf::kAnything});
}

std::vector<const DegradedFacts*> DegradedSteps(uint32_t degraded) {
  std::vector<const DegradedFacts*> steps;
  for (const DegradedFacts& step : kSteps) {
    if ((degraded & step.bit) != 0) steps.push_back(&step);
  }
  return steps;
}

}  // namespace syncline
