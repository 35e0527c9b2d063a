// SPDX-License-Identifier: Apache-2.0
// Names of losses and of steps of degrading, for traces, manifests and the user.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inject/core/spool_format.h"

namespace syncline {

// Which records a kind of loss is about: see inject/core/losses.def.
enum class LossOf : uint8_t { kThreads, kDevices, kAnything, kNothingRecordable };

struct LossFacts {
  const char* name;
  LossOf of;
  const char* meaning;
  const char* remedy;
};

// `kind` below kLossKinds.
const LossFacts& FactsOfLoss(uint32_t kind);
// By its name; null: this version has none of that name.
const LossFacts* FindLoss(std::string_view name);
// "1,234 because the thread's ring was full (raise --memory-ring)".
std::string LossText(std::string_view name, uint64_t count);

// A loss of unknown size, one for each process: told by NoEndText.
inline constexpr char kNoEnd[] = "consumer_gone";
// What the recordings of `ranks` (-1: of processes without one) lack: "rank 2's recording has no
// end: ...".
std::string NoEndText(const std::vector<int>& ranks);

// Lost records by kind.
using LossCounts = std::array<uint64_t, kLossKinds>;
uint64_t TotalLosses(const LossCounts& losses);
// What a process has counted, by its own table of losses. If this reader does not know that table,
// all counts as kLoss_unknown_kinds.
LossCounts CountedLosses(const SpoolCounters& counters);
// Losses of device records. Losses of unknown kinds may be such and are counted too.
uint64_t LostOfDevices(const LossCounts& losses);
// Whether calls, ranges or marks of the program's threads are missing.
bool LostHostRecords(const LossCounts& losses);
// Whether records of device work may be among them.
bool MayBeOfDevices(const LossCounts& losses);

struct DegradedFacts {
  uint32_t bit;  // of Degraded
  const char* name;
  const char* meaning;
};

// The steps whose bits are set in `degraded`, in the order of the bits.
std::vector<const DegradedFacts*> DegradedSteps(uint32_t degraded);

}  // namespace syncline
