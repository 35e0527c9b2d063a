// SPDX-License-Identifier: Apache-2.0
// Puts operations that overlap in one stream of a GPU on lanes on which nothing overlaps: viewers
// drop slices that partly overlap.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace syncline {

// Operations come in almost any order, because each thread's buffer is delivered when it is full.
// Each lane remembers at least its last 4096 operations; an operation that would have to go before
// those takes another lane. The same operations in the same order give the same lanes.
class LaneAssigner {
 public:
  // The lowest lane on which begin..end is free. Operations may touch, and overlap by as little as
  // device clocks are rounded: kernels of one stream that follow each other stay on one lane.
  uint32_t Place(uint64_t begin, uint64_t end);
  // By how much the operation placed last has to begin later, and to end earlier, so that it does
  // not overlap its neighbours.
  uint64_t late() const { return late_; }
  uint64_t early() const { return early_; }
  uint32_t lanes() const { return static_cast<uint32_t>(lanes_.size()); }

 private:
  struct Lane {
    uint64_t floor = 0;                                // taken up to here
    std::vector<std::pair<uint64_t, uint64_t>> taken;  // ascending, behind the floor
  };
  bool PlaceIn(Lane* lane, uint64_t begin, uint64_t end);

  std::vector<Lane> lanes_;
  uint64_t late_ = 0;
  uint64_t early_ = 0;
};

}  // namespace syncline
