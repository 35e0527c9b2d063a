// SPDX-License-Identifier: Apache-2.0
// As record_sums.cc and range_stacks.cc do with records.
#include "analysis/traced_ranges.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "analysis/record_sums.h"
#include "analysis/stage_sums.h"
#include "model/source_facts.h"

namespace syncline {
namespace {

constexpr size_t kMostSeen = 1 << 16;
constexpr std::string_view kPythonDomain = "py";

// A trace names the category only, which several collectors may share; the ranges of Python
// functions have a domain of their own.
const char* SourceOf(const TracedEvent& event) {
  const char* name = "unknown";
  for (size_t i = kSourceFactsCount; i-- > 0;) {
    const SourceFacts& facts = *kSourceFacts[i];
    if (event.category != facts.range_category) continue;
    if (event.domain == kPythonDomain && std::string_view(facts.name) == "python")
      return facts.name;
    name = facts.name;
  }
  return name;
}

}  // namespace

uint32_t TracedRanges::LabelOf(const TracedEvent& event) {
  std::string all = event.category;
  all.append(1, '\0').append(event.domain).append(1, '\0').append(event.name);
  const auto seen = seen_.find(all);
  if (seen != seen_.end()) return seen->second;
  names_->See(event.name);
  std::string name = names_->IsFolded(event.name) ? names_->Folded(event.name) : event.name;
  RangeKey key{SourceOf(event), event.domain, std::move(name)};
  if (labels_.size() >= RecordSums::kMostNames && !labels_.contains(key)) {
    key.domain.clear();
    key.name = kOtherNames;
  }
  const auto [at, added] = labels_.try_emplace(std::move(key), static_cast<uint32_t>(keys_.size()));
  if (added) {
    keys_.push_back(&at->first);
    sums_.emplace_back();
  }
  if (seen_.size() < kMostSeen) seen_.emplace(std::move(all), at->second);
  return at->second;
}

void TracedRanges::Add(const TracedEvent& event) {
  const uint32_t label = LabelOf(event);
  sums_[label].Add(event.end_ns - event.begin_ns);
  AddStep(event);
  const bool started = event.kind == TracedKind::kStartedRange;
  has_started_ = has_started_ || started;
  if (ranges_.size() < kMostRanges) {
    ranges_.push_back({event.begin_ns, event.end_ns, label, started ? 0 : event.tid});
  } else {
    left_out_ = true;
  }
}

void TracedRanges::AddStep(const TracedEvent& event) {
  const std::optional<StepName> step = StepOf(event.name);
  if (!step) return;
  if (step_count_ >= kMostSteps) {
    ++steps_left_out_;
    return;
  }
  ++step_count_;
  StepSeries& series = steps_[step->name];
  series.steps.push_back(
      {event.begin_ns, event.end_ns - event.begin_ns, step->number.value_or(series.steps.size())});
}

// By thread; an outer range before those in it. Of two with the same times the outer one stands
// first in the trace.
void TracedRanges::Sort() {
  if (sorted_) return;
  sorted_ = true;
  std::stable_sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    if (a.tid != b.tid) return a.tid < b.tid;
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
}

// StageSums wants the ranges of a thread by their ends, with their depths.
void TracedRanges::SumStages(WorkCurves* curves, std::vector<StageWork>* works) {
  Sort();
  StageSums stages(curves);
  std::vector<const Range*> open;
  uint64_t thread = 0;
  const auto close = [&](uint64_t until_ns) {
    while (!open.empty() && open.back()->end_ns <= until_ns) {
      const Range& range = *open.back();
      open.pop_back();
      const auto depth = static_cast<uint32_t>(std::min<size_t>(open.size(), UINT16_MAX));
      stages.AddNested(thread, range.tid, range.label, depth, range.begin_ns, range.end_ns);
    }
  };
  uint32_t tid = 0;
  for (const Range& range : ranges_) {
    if (range.tid == 0) {
      stages.AddStarted(0, range.label, range.begin_ns, range.end_ns);
      continue;
    }
    if (range.tid != tid) close(UINT64_MAX);
    if (range.tid != tid) ++thread;
    tid = range.tid;
    close(range.begin_ns);
    // One of another domain that crosses those around it ends after them.
    open.push_back(&range);
  }
  close(UINT64_MAX);
  *works = stages.sums();
}

void TracedRanges::Finish(int32_t pid, WorkCurves* curves, RunFindings* findings, RankPart* part) {
  std::vector<StageWork> works;
  if (curves != nullptr && !left_out_) SumStages(curves, &works);
  for (const auto& [key, label] : labels_) {
    const RangeKey folded{key.source, key.domain, names_->Folded(key.name)};
    findings->ranges[folded].Add(sums_[label]);
    if (label < works.size()) findings->stages[folded].Add(works[label]);
  }
  for (auto& [name, series] : steps_) {
    std::sort(series.steps.begin(), series.steps.end());
    part->steps.push_back({pid, name, std::move(series.steps)});
  }
  part->steps_left_out += steps_left_out_;
}

std::vector<std::string> TracedRanges::StacksAt(
    const std::vector<std::pair<uint32_t, uint64_t>>& moments) {
  Sort();
  std::vector<size_t> order(moments.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return moments[a] < moments[b]; });
  std::vector<std::string> stacks(moments.size());
  std::vector<const Range*> open;
  size_t next = 0;
  uint32_t of = 0;
  for (const size_t moment : order) {
    const auto [tid, at] = moments[moment];
    if (tid != of) open.clear();
    of = tid;
    for (; next < ranges_.size() && ranges_[next].tid < tid; ++next) {
    }
    for (; next < ranges_.size() && ranges_[next].tid == tid && ranges_[next].begin_ns <= at;
         ++next) {
      while (!open.empty() && open.back()->end_ns < ranges_[next].begin_ns) open.pop_back();
      open.push_back(&ranges_[next]);
    }
    std::erase_if(open, [at = at](const Range* range) { return range->end_ns < at; });
    for (const Range* range : open) {
      if (!stacks[moment].empty()) stacks[moment] += " > ";
      stacks[moment] += keys_[range->label]->name;
    }
  }
  return stacks;
}

}  // namespace syncline
