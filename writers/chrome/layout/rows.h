// SPDX-License-Identifier: Apache-2.0
// Numbers of rows (pid and tid of trace events): unique, never 0, below 2^31, apart from GPU rows.
#pragma once

#include <cstdint>

#include "model/run/survey.h"

namespace syncline {

// Real pids and tids are below 2^22. A pid below 256 would join a GPU's row (their pid is the
// device's number) and two processes of one rank may have had the same pid: such a process is shown
// 2^22 higher, or a multiple.
inline constexpr uint32_t kPidStep = 1u << 22;
inline constexpr uint32_t kMaxRealId = kPidStep - 1;
inline constexpr uint32_t kSmallestHostPid = 256;

// Extra rows of a process: tid + k * 2^23.
inline constexpr uint32_t kTidStep = 1u << 23;
inline constexpr uint32_t kProcessRow = 1;    // k of the row with the process's life
inline constexpr uint32_t kFirstLaneRow = 2;  // 2..101: start/end ranges
inline constexpr uint32_t kLaneRows = 100;
// 102..241: ranges of one domain that do not nest with the others.
inline constexpr uint32_t kFirstCrossingRow = 102;
inline constexpr uint32_t kCrossingRows = kMostCrossingDomains;
inline constexpr uint32_t kCompileRow = 248;  // of a process's compilations
inline constexpr uint32_t kStepsRow = 249;    // of a thread's steps
// A thread whose tid, in its own pid namespace, equals the main thread's row.
inline constexpr uint32_t kTwinRow = 250;
inline constexpr uint32_t kWaitsRow = 251;  // 251..254: what a thread waited for, by source
inline constexpr uint32_t kWaitsRows = 4;
// Lanes from kLaneRows on: above all of those.
inline constexpr uint32_t kManyLanes = 255 * kTidStep;

// A GPU's row of gaps, above all streams' rows.
inline constexpr uint32_t kIdleTid = 999999999;

// The tids of one process's rows.
struct RowIds {
  uint32_t pid = kPidStep;     // of the row
  bool own_namespace = false;  // tids are of another pid namespace than pid

  uint32_t Main() const { return pid & kMaxRealId; }
  uint32_t Thread(uint32_t tid, bool main) const {
    if (main) return Main();
    return tid == Main() && own_namespace ? tid + kTwinRow * kTidStep : tid;
  }
  uint32_t Process() const { return Main() + kProcessRow * kTidStep; }
  uint32_t Lane(uint16_t lane) const {
    if (lane >= kLaneRows) return kManyLanes + lane;
    return Main() + (kFirstLaneRow + lane) * kTidStep;
  }
  uint32_t Compilations() const { return Main() + kCompileRow * kTidStep; }
  uint32_t Steps(uint32_t tid, bool main) const {
    return (main ? Main() : tid) + kStepsRow * kTidStep;
  }
  // `order`: of the source among those of the process.
  uint32_t Waits(uint32_t tid, bool main, uint32_t order) const {
    const uint32_t row = kWaitsRow + (order < kWaitsRows ? order : kWaitsRows - 1);
    return (main ? Main() : tid) + row * kTidStep;
  }
  uint32_t Crossing(uint32_t tid, bool main, uint32_t index) const {
    return (main ? Main() : tid) + (kFirstCrossingRow + index) * kTidStep;
  }
};

static_assert(kFirstLaneRow + kLaneRows <= kFirstCrossingRow &&
              kFirstCrossingRow + kCrossingRows <= kCompileRow && kCompileRow < kStepsRow &&
              kStepsRow < kTwinRow);
static_assert(kTwinRow < kWaitsRow && kWaitsRow + kWaitsRows <= 255 &&
              kManyLanes + UINT16_MAX < 1u << 31);

}  // namespace syncline
