// SPDX-License-Identifier: Apache-2.0
// Tells calls that device work held up from calls during which device work happened to end.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/devices/gpu_records.h"

namespace syncline {

// A call of a row that only sometimes waits may have been held up by `work` if
//   1. it was entered before that work ended, and left after (clock error allowed for): what it
//      would have waited for was pending and is not any more; a call that left earlier did not
//      wait.
// Rows that wait whenever something is pending (freeing, unloading) need no more: only the time up
// to the work's end is called a wait. Where waiting is the exception (an allocation that only fits
// once others were freed, a graph launch into a full queue), device work often ends during the call
// by chance. There
//   2. the work's end must explain the call's length: what came after it is at most as long as what
//      came before it, or as calls of that name take that surely were not held (their median), or
//      100 us, in which a thread is woken;
//   3. the call must have taken four times that median, and 20 us more. Shorter waits are missed.
class StalledCalls {
 public:
  explicit StalledCalls(const GpuRecords& records) : error_ns_(records.clock_error_ns) {}

  // Rule 1. Calls that surely were not held up teach how long calls of their name take.
  // entry_ns: when the innermost call was entered.
  bool MayBeHeld(const SourceCall& call, uint64_t entry_ns, const GpuOp* work);
  bool IsWithin(const SourceCall& call, uint64_t entry_ns, uint64_t at_ns) const;

  // Rules 2 and 3, for when all calls were seen. `released`: when what it waited for came true.
  bool Explained(const SourceCall& call, uint64_t released_ns) const;

 private:
  static constexpr size_t kBuckets = 256;  // four for each power of two of ns
  using Lengths = std::array<uint32_t, kBuckets>;

  void Learn(const SourceCall& call);
  uint64_t UsualLength(uint16_t name) const;  // 0: unknown

  uint64_t error_ns_;
  std::vector<Lengths> lengths_;  // by name
};

}  // namespace syncline
