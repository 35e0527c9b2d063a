// SPDX-License-Identifier: Apache-2.0
// A clock that was set back shows the same time twice: the first one counts.
#include "model/spool/wall_clock.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace syncline {
namespace {

int64_t Distance(const WallClock::Point& point) {
  return static_cast<int64_t>(point.line_ns - point.wall_ns);
}

}  // namespace

WallClock::WallClock(std::vector<Point> points) : points_(std::move(points)) {
  std::erase_if(points_, [](const Point& point) { return point.wall_ns == 0; });
  std::sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) {
    return std::pair(a.line_ns, a.wall_ns) < std::pair(b.line_ns, b.wall_ns);
  });
}

uint64_t WallClock::ToLine(uint64_t wall_ns) const {
  if (points_.empty()) return wall_ns;
  const auto after = std::find_if(points_.begin(), points_.end(),
                                  [=](const Point& point) { return point.wall_ns > wall_ns; });
  if (after == points_.begin()) return wall_ns + static_cast<uint64_t>(Distance(points_.front()));
  const Point& before = after[-1];
  const int64_t distance = Distance(before);
  if (after == points_.end()) return wall_ns + static_cast<uint64_t>(distance);
  const double share = static_cast<double>(wall_ns - before.wall_ns) /
                       static_cast<double>(after->wall_ns - before.wall_ns);
  const double more = share * static_cast<double>(Distance(*after) - distance);
  return wall_ns + static_cast<uint64_t>(distance + static_cast<int64_t>(more));
}

uint64_t WallClock::ErrorNs(uint64_t wall_begin_ns, uint64_t wall_end_ns) const {
  uint64_t error = 0;
  for (size_t i = 0; i + 1 < points_.size(); ++i) {
    const Point& a = points_[i];
    const Point& b = points_[i + 1];
    if (std::max(a.wall_ns, b.wall_ns) < wall_begin_ns ||
        std::min(a.wall_ns, b.wall_ns) > wall_end_ns)
      continue;
    error = std::max(error, static_cast<uint64_t>(std::llabs(Distance(b) - Distance(a))));
  }
  return error;
}

}  // namespace syncline
