// SPDX-License-Identifier: Apache-2.0
// Which moment stands for a wait, a gap, a submission.
#include "analysis/source_moments.h"

#include <algorithm>
#include <string>

namespace syncline {
namespace {

constexpr size_t kMostPlaces = 1 << 16;  // of allocations that are looked up

// Where the thread was in the middle of the gap; of a wait, where it began to wait.
uint64_t MomentOf(const Gap& gap, const std::vector<Wait>& waits) {
  if (gap.wait != kNoWait) return waits[gap.wait].begin_ns;
  return gap.begin_ns + (gap.end_ns - gap.begin_ns) / 2;
}

// The middle of the time in which the host did something besides waiting.
uint64_t HostWorkedAt(const Gap& gap, const std::vector<Wait>& waits) {
  uint64_t from = gap.begin_ns;
  if (gap.wait != kNoWait) from = std::max(from, waits[gap.wait].end_ns);
  return gap.submitted_ns > from ? from + (gap.submitted_ns - from) / 2 : gap.submitted_ns;
}

// Whether it is of interest where the host was.
bool HasLines(const Gap& gap) { return gap.cause == GapCause::kHostBusy && gap.submitted_ns != 0; }

}  // namespace

void SourceMoments::Ask(const Findings& found, const ReplayGraph* graph, RangeStacks* stacks) {
  for (const Wait& wait : found.waits) waits_.push_back(stacks->Ask(wait.tid, wait.begin_ns));
  for (const Gap& gap : found.gaps) {
    OfGap& asked = gaps_.emplace_back();
    asked.within = stacks->Ask(gap.tid, MomentOf(gap, found.waits));
    if (HasLines(gap)) asked.submitted = stacks->Ask(gap.tid, gap.submitted_ns);
  }
  if (graph != nullptr) AskForReplay(found, *graph, stacks);
}

void SourceMoments::AskForReplay(const Findings& found, const ReplayGraph& graph,
                                 RangeStacks* stacks) {
  for (size_t i = 0; i < std::min(graph.allocations.size(), kMostPlaces); ++i) {
    allocations_.push_back(stacks->Ask(graph.allocations[i].tid, graph.allocations[i].begin_ns));
  }
  for (const Gap& gap : found.gaps) {
    OfGap& asked = host_worked_.emplace_back();
    if (!HostWorked(gap)) continue;
    asked.within = stacks->Ask(gap.tid, HostWorkedAt(gap, found.waits));
    asked.submitted = stacks->Ask(gap.tid, gap.submitted_ns);
  }
  for (size_t kind = 0; kind < kSubmittedKinds; ++kind) {
    for (const Submission& sample : graph.samples[kind])
      samples_[kind].push_back(stacks->Ask(sample.tid, sample.at_ns));
  }
}

void SourceMoments::FillIn(RangeStacks* stacks, Findings* found) const {
  for (const MomentId wait : waits_) {
    found->wait_where.push_back(stacks->WhereOf(wait));
    found->wait_ranges.push_back(stacks->StackOf(wait));
  }
  for (const OfGap& gap : gaps_) {
    found->gap_ranges.push_back(stacks->StackOf(gap.within));
    found->gap_before.push_back(stacks->WhereBefore(gap.submitted));
    found->gap_next.push_back(stacks->WhereOf(gap.submitted));
  }
}

ReplayPlaces SourceMoments::PlacesOf(RangeStacks* stacks) const {
  ReplayPlaces places;
  for (const MomentId allocation : allocations_) {
    places.allocation_where.push_back(stacks->WhereOf(allocation));
    places.allocation_ranges.push_back(stacks->StackOf(allocation));
  }
  for (const OfGap& gap : host_worked_) {
    places.gap_ranges.push_back(stacks->StackOf(gap.within));
    places.gap_before.push_back(stacks->WhereBefore(gap.submitted));
    places.gap_next.push_back(stacks->WhereOf(gap.submitted));
  }
  for (size_t kind = 0; kind < kSubmittedKinds; ++kind) {
    for (const MomentId sample : samples_[kind]) {
      places.sample_where[kind].push_back(stacks->WhereOf(sample));
      places.sample_ranges[kind].push_back(stacks->StackOf(sample));
    }
  }
  return places;
}

}  // namespace syncline
