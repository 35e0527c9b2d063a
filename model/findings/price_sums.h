// SPDX-License-Identifier: Apache-2.0
// What it would bring to change one thing of a run: what a replay of each rank without that thing
// tells (analysis/prices/replay.h).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "model/findings/findings.h"

namespace syncline {

// What is changed.
enum class Change : uint8_t {
  kWaitsOfLine,      // `where`: the host does not wait there, and what it read back is not read
  kWaitsOfCall,      // `wait_class`, `call`, `ranges`: the same, where the line is not known
  kWaitsOfClass,     // `wait_class`
  kWaitsOfRange,     // `ranges`: the whole path, "step # > log"
  kWaitsOfCaller,    // `where`, `caller`: those of a line that several lines call
  kWaitsOfFunction,  // `where`: a function without its line, `wait_class`: at several lines
  kAllocations,      // `where`, else `call` and `ranges`: memory is taken before and kept
  kHostWork,         // `ranges`, `before`, `where`, `below`: what the host did there takes no time
  kCopies,           // `ranges`: copies run beside kernels
  kLaunches,         // `ranges`: what is launched without a wait between is launched at once
  kHostFunctions,    // `where`, else `call` and `ranges`: functions of the host in a stream hold
                     // nothing up
  kDefaultStream,    // the legacy stream neither waits for other streams nor makes them wait
  kCommunication     // `call`: "AllReduce of 8 ranks": nothing waits for what is communicated so
};
inline constexpr size_t kChanges = 13;
inline constexpr size_t kLeastLinesOfFunction = 2;  // at which it waits the same way
const char* ChangeName(Change change);              // "waits_of_line"
inline bool IsOfWaits(Change change) { return change < Change::kAllocations; }

// Texts are as in WaitKey and GapKey; what does not apply is empty.
struct PriceKey {
  std::string source;
  Change change = Change::kWaitsOfLine;
  WaitClass wait_class = WaitClass::kDevice;
  std::string call;
  std::string ranges;
  std::string where;
  std::string before;  // with `below` and `span`: LinesBetween, whose `next` is `where`
  std::string below{};
  HostSpan span = HostSpan::kBetween;
  std::string caller{};
  std::string statement{};
  std::string program{};
  auto operator<=>(const PriceKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

// How much earlier one rank's work would have ended, counted from its first step on if it has
// steps, where no other rank comes late to its collectives, neither with the change nor without.
struct RankGain {
  uint64_t gain_ns = 0;
  uint64_t ahead_ns = 0;  // of host work: if one other thread does it beforehand
  uint32_t joint = 0;     // of one rank: the bits in RankPart::joint_ns; 0: it has none there

  void Add(const RankGain& more) {
    gain_ns += more.gain_ns;
    ahead_ns += more.ahead_ns;
    joint |= more.joint;
  }
  bool operator==(const RankGain&) const = default;
};

// Of a job: of all its ranks together.
struct PriceSums {
  uint64_t count = 0;         // waits, calls, gaps, operations that are changed
  uint64_t known_ns = 0;      // in waits of which it is known what was copied for them
  uint64_t read_ns = 0;       // ... in those for a copy to the host
  uint64_t send_ns = 0;       // ... in those for a copy to the device
  uint64_t read_backs = 0;    // waits for a copy to the host
  uint64_t pinned_reads = 0;  // ... into pinned memory
  uint64_t read_bytes = 0;    // of these copies
  uint64_t sends = 0;         // waits for a copy to the device
  uint64_t pinned_sends = 0;  // ... from pinned memory
  uint64_t sent_faster = 0;   // ... that was not, and is copied at the rate of what was
  uint64_t removed_ns = 0;    // how long they took
  RankGain gain;              // of all ranks, added up
  std::map<std::string, RankGain> of_ranks;  // by the name of its trace; those that have it

  void Add(const PriceSums& other);
  // The rank that gains most, the first of several; null: it is not known which ranks have it.
  const std::pair<const std::string, RankGain>* Worst() const;
  bool operator==(const PriceSums&) const = default;
};

// How much of a rank was replayed.
struct ReplayFacts {
  uint64_t whole_ns = 0;     // from its first to its last operation or wait, while all was recorded
  uint64_t replayed_ns = 0;  // of that; gains are scaled up by the rest
  uint64_t windows = 0;
  uint64_t unpriced = 0;      // changes beyond the most that are tried
  uint64_t ungrouped = 0;     // waits, calls and gaps at places beyond the most that are told apart
  uint64_t waited_ns = 0;     // so much earlier it would have ended had no other rank come late to
                              // its collectives
  uint64_t recording_ns = 0;  // so much of it was the recording itself, which gains do not have
  // Of several processes: for how long at least one of them was at work, as far as gains count; 0:
  // it was one process.
  uint64_t together_ns = 0;

  bool operator==(const ReplayFacts&) const = default;
};

}  // namespace syncline
