// SPDX-License-Identifier: Apache-2.0
// Turns times of the machine's clock, as a program of its own writes them into a log, into
// nanoseconds on the job's line.
#pragma once

#include <cstdint>
#include <vector>

namespace syncline {

// The clock may be set, or slowed and sped up, while the line goes on evenly: between two anchors
// their distance from each other is interpolated, outside of them the next one's counts.
class WallClock {
 public:
  struct Point {
    uint64_t wall_ns;  // since 1970
    uint64_t line_ns;
  };

  // In any order. Without any, the two are taken for one.
  explicit WallClock(std::vector<Point> points);

  uint64_t ToLine(uint64_t wall_ns) const;
  // How far a time between these two may be off, because the clock was set somewhere there.
  uint64_t ErrorNs(uint64_t wall_begin_ns, uint64_t wall_end_ns) const;

 private:
  std::vector<Point> points_;  // by line_ns
};

}  // namespace syncline
