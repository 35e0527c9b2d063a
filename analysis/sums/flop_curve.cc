// SPDX-License-Identifier: Apache-2.0
// Points by time; a step looks at its own.
#include "analysis/sums/flop_curve.h"

#include <algorithm>
#include <utility>

namespace syncline {

void FlopCurve::Add(uint64_t ns, double flops, NumberFormat format, bool on_device) {
  if (points_.size() >= most_) Join();
  const auto kind = static_cast<size_t>(format);
  Put({ns, flops, 1, static_cast<uint8_t>(2 * kind + (on_device ? 1 : 0))}, &points_);
  if (on_device) all_[kind] += flops;
}

void FlopCurve::Put(const Point& point, std::vector<Point>* points) {
  size_t& last = last_[point.kind];
  if (last == kNone || (*points)[last].calls + point.calls > calls_of_point_) {
    last = points->size();
    return points->push_back(point);
  }
  Point& to = (*points)[last];
  to.ns = std::min(to.ns, point.ns);
  to.flops += point.flops;
  to.calls += point.calls;
}

void FlopCurve::Sort() {
  std::stable_sort(points_.begin(), points_.end(),
                   [](const Point& a, const Point& b) { return a.ns < b.ns; });
}

void FlopCurve::Join() {
  Sort();
  while (points_.size() > most_ / 2 && calls_of_point_ < UINT32_MAX / 4) {
    calls_of_point_ *= 2;
    last_.fill(kNone);
    std::vector<Point> joined;
    for (const Point& point : points_) Put(point, &joined);
    points_ = std::move(joined);
  }
}

void FlopCurve::Finish() { Sort(); }

void FlopCurve::AddBetween(uint64_t begin_ns, uint64_t end_ns, StepWork* work) const {
  auto at = std::lower_bound(points_.begin(), points_.end(), begin_ns,
                             [](const Point& point, uint64_t ns) { return point.ns < ns; });
  for (; at != points_.end() && at->ns < end_ns; ++at) {
    work->all_flops += at->flops;
    if (at->kind % 2 != 0) work->flops[at->kind / 2] += at->flops;
  }
}

}  // namespace syncline
