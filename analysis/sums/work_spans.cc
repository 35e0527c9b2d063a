// SPDX-License-Identifier: Apache-2.0
// Lists of spans whose shortest pauses go first.
#include "analysis/sums/work_spans.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr uint64_t kFirstPauseNs = 1000;

// `list` is in the order of begins.
void Extend(std::vector<CoverageGap>* list, const CoverageGap& span, uint64_t pause_ns) {
  if (!list->empty() && span.begin_ns <= list->back().end_ns + pause_ns) {
    list->back().end_ns = std::max(list->back().end_ns, span.end_ns);
  } else {
    list->push_back(span);
  }
}

void Append(const std::vector<CoverageGap>& from, std::vector<CoverageGap>* to) {
  to->insert(to->end(), from.begin(), from.end());
}

}  // namespace

void WorkSpans::Add(uint64_t begin_ns, uint64_t end_ns, WorkKind kind) {
  List& list = lists_[static_cast<size_t>(kind)];
  Extend(&list.spans, {begin_ns, end_ns}, list.pause_ns);
  while (list.spans.size() > most_ && list.spans.size() > 1) Coarsen(&list);
}

// By half at least, so that it is done seldom.
void WorkSpans::Coarsen(List* list) {
  const size_t before = list->spans.size();
  while (list->spans.size() > before / 2 && list->spans.size() > 1) {
    list->pause_ns = std::max(kFirstPauseNs, list->pause_ns * 2);
    std::vector<CoverageGap> coarse;
    for (const CoverageGap& span : list->spans) Extend(&coarse, span, list->pause_ns);
    list->spans = std::move(coarse);
  }
}

std::vector<CoverageGap> WorkSpans::Working() const {
  std::vector<CoverageGap> all;
  for (const List& list : lists_) Append(list.spans, &all);
  JoinCoverageGaps(&all);
  return all;
}

std::vector<CoverageGap> WorkSpans::EndingGaps() const {
  std::vector<CoverageGap> all;
  for (const WorkKind kind : {WorkKind::kKernels, WorkKind::kCommunicating, WorkKind::kSets})
    Append(Of(kind), &all);
  JoinCoverageGaps(&all);
  const uint64_t computed_until = all.empty() ? 0 : all.back().end_ns;
  for (const CoverageGap& copy : Of(WorkKind::kCopying)) {
    if (copy.end_ns > computed_until)
      all.push_back({std::max(copy.begin_ns, computed_until), copy.end_ns});
  }
  JoinCoverageGaps(&all);
  return all;
}

uint64_t WorkSpans::error_ns() const {
  uint64_t error = 0;
  for (const List& list : lists_) error = std::max(error, list.pause_ns);
  return error;
}

}  // namespace syncline
