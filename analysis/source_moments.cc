// SPDX-License-Identifier: Apache-2.0
// Which moment stands for a wait, a gap, a submission.
#include "analysis/source_moments.h"

#include <algorithm>
#include <string>
#include <utility>

#include "model/devices/source_facts.h"

namespace syncline {
namespace {

constexpr size_t kMostPlaces = 1 << 16;  // of allocations that are looked up

// Where the host was for the longest time; else the middle.
uint64_t MomentOf(const Gap& gap) {
  const bool worked = gap.host_until_ns > gap.host_from_ns;
  const uint64_t from = worked ? gap.host_from_ns : gap.begin_ns;
  return from + ((worked ? gap.host_until_ns : gap.end_ns) - from) / 2;
}

}  // namespace

void SourceMoments::Ask(const Findings& found, const ReplayGraph* graph, RangeStacks* stacks) {
  for (const Wait& wait : found.waits) waits_.push_back(stacks->Ask(wait.tid, wait.begin_ns));
  for (const Gap& gap : found.gaps) {
    OfGap& asked = gaps_.emplace_back();
    asked.within = stacks->Ask(gap.tid, MomentOf(gap));
    if (gap.call_at_ns != 0) asked.call = stacks->Ask(gap.tid, gap.call_at_ns);
    if (!HostWorked(gap)) continue;
    asked.host_until = stacks->Ask(gap.tid, gap.host_until_ns);
    if (gap.host_later_ns != 0) asked.host_later = stacks->Ask(gap.tid, gap.host_later_ns);
  }
  for (const HostFunction& function : found.host_functions)
    functions_.push_back(stacks->Ask(function.tid, function.submitted_ns));
  if (graph != nullptr) AskForReplay(*graph, stacks);
}

void SourceMoments::AskForReplay(const ReplayGraph& graph, RangeStacks* stacks) {
  for (size_t i = 0; i < std::min(graph.allocations.size(), kMostPlaces); ++i) {
    allocations_.push_back(stacks->Ask(graph.allocations[i].tid, graph.allocations[i].begin_ns));
  }
  for (size_t kind = 0; kind < kSubmittedKinds; ++kind) {
    for (const Submission& sample : graph.samples[kind])
      samples_[kind].push_back(stacks->Ask(sample.tid, sample.at_ns));
  }
}

void SourceMoments::FillIn(RangeStacks* stacks, Findings* found) const {
  for (const MomentId wait : waits_) {
    const std::string& where = stacks->WhereOf(wait);
    found->wait_where.push_back(where);
    if (!where.empty() && !found->statements.contains(where))
      found->statements[where] = stacks->StatementOf(wait);
    found->wait_callers.push_back(stacks->CallerOf(wait));
    found->wait_ranges.push_back(stacks->StackOf(wait));
  }
  for (const MomentId function : functions_) {
    found->function_where.push_back(stacks->WhereOf(function));
    found->function_ranges.push_back(stacks->StackOf(function));
  }
  for (size_t i = 0; i < gaps_.size(); ++i) {
    found->gap_ranges.push_back(stacks->StackOf(gaps_[i].within));
    found->gap_call_where.push_back(stacks->WhereOf(gaps_[i].call));
    const Gap& gap = found->gaps[i];
    LinesBetween& lines =
        found->gap_lines.emplace_back(stacks->LinesAround(gaps_[i].host_until, gap.submitted_ns));
    if (gap.host_later_ns != 0 &&
        stacks->LinesAround(gaps_[i].host_later, gap.submitted_ns).next != lines.next)
      lines = {};  // the host did several things, and none of them for most of the time
    const bool is_open = lines.span == HostSpan::kBetween || lines.span == HostSpan::kWithin;
    if (!gap.made_data || !is_open) continue;
    LinesBetween tail = stacks->TailAround(gaps_[i].host_until, gap.submitted_ns,
                                           gap.host_until_ns - gap.host_from_ns);
    if (!tail.next.empty()) {
      lines = std::move(tail);
    } else if (!IsSaving(lines.before)) {
      lines.span = HostSpan::kData;
    }
  }
}

ReplayPlaces SourceMoments::PlacesOf(RangeStacks* stacks) const {
  ReplayPlaces places;
  for (const MomentId allocation : allocations_) {
    places.allocation_where.push_back(stacks->WhereOf(allocation));
    places.allocation_ranges.push_back(stacks->StackOf(allocation));
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
