// SPDX-License-Identifier: Apache-2.0
// Points by time; a step looks at its own.
#include "analysis/sums/flop_curve.h"

#include <algorithm>

namespace syncline {

void FlopCurve::Add(uint64_t ns, double flops, NumberFormat format, bool on_device) {
  if (points_.size() >= most_) Join();
  points_.push_back({ns, flops, static_cast<uint8_t>(format), on_device});
  if (on_device) all_[static_cast<size_t>(format)] += flops;
}

void FlopCurve::Sort() {
  std::stable_sort(points_.begin(), points_.end(),
                   [](const Point& a, const Point& b) { return a.ns < b.ns; });
}

// Where neighbours have different formats, the third one may be the like: at most two of four stay.
void FlopCurve::Join() {
  Sort();
  size_t kept = 0;
  for (size_t from = 0; from < points_.size();) {
    constexpr size_t kTogether = 16;
    const size_t first = kept, end = std::min(points_.size(), from + kTogether);
    for (; from < end; ++from) {
      const Point point = points_[from];
      const auto like =
          std::find_if(points_.begin() + static_cast<ptrdiff_t>(first),
                       points_.begin() + static_cast<ptrdiff_t>(kept), [&](const Point& one) {
                         return one.format == point.format && one.on_device == point.on_device;
                       });
      if (like == points_.begin() + static_cast<ptrdiff_t>(kept)) {
        points_[kept++] = point;
      } else {
        like->flops += point.flops;
      }
    }
  }
  points_.resize(kept);
}

void FlopCurve::Finish() { Sort(); }

void FlopCurve::AddBetween(uint64_t begin_ns, uint64_t end_ns, StepWork* work) const {
  auto at = std::lower_bound(points_.begin(), points_.end(), begin_ns,
                             [](const Point& point, uint64_t ns) { return point.ns < ns; });
  for (; at != points_.end() && at->ns < end_ns; ++at) {
    work->all_flops += at->flops;
    if (at->on_device) work->flops[at->format] += at->flops;
  }
}

}  // namespace syncline
