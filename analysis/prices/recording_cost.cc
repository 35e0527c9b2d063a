// SPDX-License-Identifier: Apache-2.0
// A window as it would have been recorded had recording a call cost nothing.
#include <algorithm>

#include "analysis/prices/replay.h"

namespace syncline {
namespace {

uint64_t Earlier(uint64_t at_ns, int64_t by_ns) {
  return static_cast<uint64_t>(static_cast<int64_t>(at_ns) - by_ns);
}

}  // namespace

// Some of the cost lies before and behind what the record says of a call, some within. It is taken
// from what the thread did before the point, and where that is less, from the call; never from what
// a device took, for which a call waits.
Replay::HostCost Replay::CostOf(const ReplayPoint& point, uint64_t call_ns, uint64_t from_ns) {
  const uint64_t idle_from = std::max(clocks_[point.clock].busy_until_ns, from_ns);
  if (point.begin_ns < from_ns || point.handed_over) return {};
  const uint64_t cost = call_ns * point.calls;
  const uint64_t before = std::min(cost, point.begin_ns - std::min(point.begin_ns, idle_from));
  const bool waits = point.kind == PointKind::kWait || point.awaits != Awaits::kNothing;
  const uint64_t within = waits ? 0 : std::min(cost - before, point.end_ns - point.begin_ns);
  return {static_cast<int64_t>(before), static_cast<int64_t>(within)};
}

uint64_t Replay::TakeOutCost(uint64_t call_ns, uint64_t from_ns, ReplayWindow* window) {
  Begin(*window);
  std::vector<ReplayPoint> points = window->points;
  for (size_t i = 0; i < points.size(); ++i) {
    const ReplayPoint& point = window->points[i];
    Clock& clock = clocks_[point.clock];
    if (point.handed_over) clock.ahead_ns = std::min<int64_t>(clock.ahead_ns, 0);
    const HostCost cost = CostOf(point, call_ns, from_ns);
    clock.ahead_ns += cost.before_ns;
    points[i].begin_ns = Earlier(point.begin_ns, clock.ahead_ns);
    if (point.kind == PointKind::kSubmit) {
      Submit(point, nullptr);
    } else {
      Wait(point, false);
    }
    clock.ahead_ns += cost.within_ns;
    points[i].end_ns = std::max(points[i].begin_ns, Earlier(point.end_ns, clock.ahead_ns));
    points[i].staged_ns = std::min(point.staged_ns, points[i].end_ns - points[i].begin_ns);
    clock.busy_until_ns = std::max(clock.busy_until_ns, point.end_ns);
    clock.last = &point;
  }
  uint64_t end_ns = 0, new_end_ns = 0;
  for (size_t i = 0; i < window->ops.size(); ++i) {
    ReplayOp& op = window->ops[i];
    end_ns = std::max(end_ns, op.end_ns);
    if (!op.before && ends_[i] != 0) {  // else no point submitted it
      op.begin_ns = static_cast<uint64_t>(begins_[i]);
      op.end_ns = static_cast<uint64_t>(ends_[i]);
    }
    new_end_ns = std::max(new_end_ns, op.end_ns);
  }
  window->points = std::move(points);
  return end_ns - std::min(end_ns, new_end_ns);
}

}  // namespace syncline
