// SPDX-License-Identifier: Apache-2.0
// Joins the beginnings and ends of start/end ranges, which may come from different threads and in
// any order.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace syncline {

// A range whose beginning was seen. Times are nanoseconds on the job's line.
struct StartedRange {
  uint64_t begin = 0;
  uint64_t limit = UINT64_MAX;  // it ended before the next range of its lane began
  uint16_t lane = 0;
  std::string head;  // text of its event before the time stamps
  std::string tail;  // and after them, without the closing braces
};

// A collector keeps at most 4096 open at once; more than 65536 here is a hostile file and is
// counted. One thread.
class RangeJoiner {
 public:
  struct Joined {
    StartedRange range;
    uint64_t end;
  };

  // True: its end had come before, `out` is complete.
  bool Start(uint64_t id, StartedRange range, Joined* out);
  // True: its beginning had come before, `out` is complete.
  bool End(uint64_t id, uint64_t end, Joined* out);

  // The ranges that never ended, in the order of their beginnings; empties this.
  std::vector<StartedRange> TakeOpen();

  uint64_t ends_without_start() const { return early_ends_.size() + dropped_ends_; }
  uint64_t dropped_starts() const { return dropped_starts_; }

 private:
  void LimitOthers(StartedRange* range);

  std::unordered_map<uint64_t, StartedRange> started_;
  std::unordered_map<uint64_t, uint64_t> early_ends_;
  std::unordered_map<uint16_t, std::vector<uint64_t>> lanes_;  // ids of started_
  uint64_t dropped_ends_ = 0;
  uint64_t dropped_starts_ = 0;
};

}  // namespace syncline
