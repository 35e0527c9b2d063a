// SPDX-License-Identifier: Apache-2.0
// What a process's devices and allocators do, as its records come: how busy devices were in a call
// of a stage, and whether that is known yet.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "inject/core/record.h"
#include "launcher/record/busy_line.h"
#include "launcher/record/memory_peaks.h"

namespace syncline {

class ProcessLoad {
 public:
  // Of the process's clock, for what comes next. 1 where the clock has nanoseconds.
  void SetRate(double ns_per_tick) { ns_per_tick_ = ns_per_tick; }

  // `record` is whole, and of a size that its head says.
  void TakeRecord(const RecordHead& head, std::string_view record);

  // Now and then: what nobody asked for since the time before is forgotten.
  void Forget();

  // Whether the process gives devices work that is recorded.
  bool HasDevices() const { return with_operations_ != 0 || owing_ != 0; }
  // How long some device was busy.
  uint64_t BusyWithin(uint64_t begin, uint64_t end) const { return busy_.Within(begin, end); }
  // Whether that is not more than a part: work that was given before the end may be to come, ...
  bool IsOwed(uint64_t end) const;
  // ... or work that was given while nothing was recorded, of which nobody knows that it is owed.
  bool MayBeOwed() const { return is_gated_ && may_have_devices_; }
  // Whether something is missing for good.
  bool IsInPart(uint64_t begin) const;

  MemoryPeaks& memory() { return memory_; }

 private:
  void TakeCall(const CallRecord& call);
  void TakeOperation(const DeviceOpRecord& op);
  void TakeCoverage(const GpuCoverageRecord& coverage);

  struct Launch {
    uint64_t begin;
    bool is_graph;
  };

  double ns_per_tick_ = 1;
  MemoryPeaks memory_;
  BusyLine busy_;
  std::map<std::pair<Source, uint32_t>, DeviceClockRecord> clocks_;  // the latest of each
  std::unordered_map<uint64_t, Launch> owed_;                        // by source and correlation
  mutable uint64_t first_owed_ = 0;  // when it began; 0: not looked for
  // Of operations whose calls have not come, since this time and the one before.
  std::unordered_set<uint64_t> early_, earlier_;
  uint32_t with_operations_ = 0, owing_ = 0;  // bits of sources
  std::map<Source, uint64_t> uncovered_;      // until when; UINT64_MAX: still
  uint64_t latest_ = 0;                       // ticks
  bool is_gated_ = false;                     // recording is closed at times
  bool may_have_devices_ = false;             // a vendor's interface is used
  uint64_t lost_until_ = 0;
};

}  // namespace syncline
