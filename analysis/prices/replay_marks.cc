// SPDX-License-Identifier: Apache-2.0
// By correlation, and by gap.
#include "analysis/prices/replay_marks.h"

namespace syncline {
namespace {

// Not the first of a communicator, in which processes wait for each other's start.
void MarkCollectives(const Findings& found, ReplayGraph* graph) {
  if (found.collectives.empty()) return;
  for (ReplayWindow& window : graph->windows) {
    for (ReplayOp& op : window.ops) {
      const auto met = found.collectives.find(op.correlation);
      if (op.before || met == found.collectives.end()) continue;
      if (met->second.sequence == 0) {
        op.communication = kNoIndex;
      } else {
        op.late_ns = met->second.waited_ns;
      }
    }
  }
}

// Shorter: what the thread asked for was there already, or its way to the next call took the time.
constexpr uint64_t kLeastAwaitedNs = 500'000;

void MarkHandedOver(const Findings& found, ReplayGraph* graph) {
  for (ReplayWindow& window : graph->windows) {
    for (ReplayPoint& point : window.points) {
      if (point.gap >= found.gap_lines.size()) continue;
      const Gap& gap = found.gaps[point.gap];
      point.handed_over = found.gap_lines[point.gap].span == HostSpan::kAwaits &&
                          gap.end_ns - gap.begin_ns >= kLeastAwaitedNs;
    }
  }
}

}  // namespace

void MarkByFindings(const Findings& found, ReplayGraph* graph) {
  MarkCollectives(found, graph);
  MarkHandedOver(found, graph);
}

}  // namespace syncline
