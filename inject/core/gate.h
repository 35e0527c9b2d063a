// SPDX-License-Identifier: Apache-2.0
// The gate: one word in a process's segment that says whether what begins now is recorded.
#pragma once

#include <atomic>
#include <cstdint>

#include "inject/core/record.h"
#include "inject/core/thread_log.h"

namespace syncline {

// Bits 0-7: why the gate is closed (GateReason); none: it is open. Then 14 bits each: how many
// stages and how many excluded ranges are open in the process. Above them how often the gate was
// opened or closed, modulo 2^28. The process's own threads change the word, and its consumer
// (times).
using GateWord = uint64_t;
inline constexpr GateWord kOneStage = GateWord{1} << 8;
inline constexpr GateWord kOneExcluded = GateWord{1} << 22;
inline constexpr GateWord kOneChange = GateWord{1} << 36;
inline constexpr GateWord kMostStages = (1 << 14) - 1;

constexpr uint8_t ReasonsOf(GateWord gate) { return static_cast<uint8_t>(gate & kGateReasons); }
constexpr bool IsOpen(GateWord gate) { return ReasonsOf(gate) == 0; }
constexpr GateWord StagesOf(GateWord gate) { return gate / kOneStage & kMostStages; }
constexpr GateWord ExcludedOf(GateWord gate) { return gate / kOneExcluded & kMostStages; }
constexpr uint32_t ChangesOf(GateWord gate) { return static_cast<uint32_t>(gate / kOneChange); }

constexpr GateWord WithReason(GateWord gate, GateReason reason, bool holds) {
  return holds ? gate | reason : gate & ~GateWord{reason};
}

struct GateChange {
  GateWord before;
  GateWord after;
  bool Opened() const { return !IsOpen(before) && IsOpen(after); }
  bool Closed() const { return IsOpen(before) && !IsOpen(after); }
};

// Any thread, no lock. `change` makes the new word of the old one; a change of openness is counted.
template <typename Change>
inline GateChange ChangeGate(std::atomic<GateWord>* gate, Change change) {
  GateWord before = gate->load(std::memory_order_relaxed);
  for (;;) {
    GateWord after = change(before);
    if (IsOpen(before) != IsOpen(after)) after += kOneChange;
    if (gate->compare_exchange_weak(before, after, std::memory_order_acq_rel))
      return {before, after};
  }
}

// Of a thread that may record: its segment is there.
inline GateWord GateOf(const ThreadLog& log) {
  return log.segment->gate.load(std::memory_order_relaxed);
}
inline bool IsClosedFor(const ThreadLog& log, GateWord gate) {
  return ((gate & kGateReasons) | (log.busy & kOutsideStage)) != 0;
}
inline bool IsClosedFor(const ThreadLog& log) { return IsClosedFor(log, GateOf(log)); }

// Only the ring's owner counts.
inline void CountGated(ThreadLog& log, Gated kind) {
  std::atomic<uint64_t>& count = log.control->gated[kind];
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace syncline
