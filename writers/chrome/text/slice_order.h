// SPDX-License-Identifier: Apache-2.0
// Puts slices that look alike into the order in which they lie around each other.
#pragma once

#include <cstdint>

#include "writers/chrome/text/event_buffer.h"
#include "writers/chrome/text/time_text.h"

namespace syncline {

// If two slices of a row have the same begin and end, readers take the first in the file for the
// outer one. Slices of threads are written when they end, the inner one first. On clocks with
// coarse steps, and in whole microseconds, two such slices may look alike. One thread.
class SliceOrder {
 public:
  struct Row {
    uint32_t tid = 0;
    uint32_t domain = 0;  // 0: the thread's own row, else of ranges that cross others
    bool operator==(const Row&) const = default;
  };

  SliceOrder(const TimeText& time, EventBuffer* out) : time_(time), out_(out) {}

  // The last thing written, from position `at` of the buffer on, is this slice.
  void OnSlice(Row row, uint64_t begin, uint64_t end, uint64_t at) {
    begin = time_.Shown(begin);
    end = time_.Shown(end);
    if (__builtin_expect(end == end_ && row == row_, 0)) {
      // Slices without length at the end of the others may lie between them.
      if (begin == end) return;
      if (begin == begin_) return out_->MoveBack(at, first_at_);
    }
    row_ = row;
    begin_ = begin;
    end_ = end;
    first_at_ = at;
    out_->KeepFrom(at);
  }

 private:
  TimeText time_;
  EventBuffer* out_;
  Row row_;
  uint64_t begin_ = 0;
  uint64_t end_ = UINT64_MAX;
  uint64_t first_at_ = 0;  // of the outermost of those that look alike
};

}  // namespace syncline
