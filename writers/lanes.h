// SPDX-License-Identifier: Apache-2.0
// Puts operations that overlap in one stream of a GPU on lanes on which nothing overlaps: viewers
// drop slices that partly overlap.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace syncline {

// Operations come in almost any order. Of each lane the last 64 are remembered; what would have to
// go before those takes another lane. The same operations in the same order give the same lanes.
class LaneAssigner {
 public:
  // The lowest lane on which begin..end is free. Operations may touch.
  uint32_t Place(uint64_t begin, uint64_t end);
  // Whether on its lane another operation ends where the one placed last begins, and begins where
  // it ends.
  bool touches_before() const { return touches_before_; }
  bool touches_after() const { return touches_after_; }
  uint32_t lanes() const { return static_cast<uint32_t>(lanes_.size()); }

 private:
  struct Lane {
    uint64_t floor = 0;                                // taken up to here
    std::vector<std::pair<uint64_t, uint64_t>> taken;  // ascending, behind the floor
  };
  bool PlaceIn(Lane* lane, uint64_t begin, uint64_t end);

  std::vector<Lane> lanes_;
  bool touches_before_ = false;
  bool touches_after_ = false;
};

}  // namespace syncline
