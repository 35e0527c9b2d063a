// SPDX-License-Identifier: Apache-2.0
// Collects ranges as they end and puts them in order when all are there.
#include "model/run/step_finder.h"

#include <algorithm>

#include "base/stable_sort.h"
#include "inject/core/glob.h"

namespace syncline {
namespace {

constexpr size_t kNamesKept = 1 << 16;
constexpr uint64_t kNeverEnded = UINT64_MAX;

}  // namespace

bool StepFinder::Fits(Stream& stream, uint32_t name) {
  const uint64_t key = uint64_t{stream.serial()} << 32 | name;
  const auto known = fits_.find(key);
  if (known != fits_.end()) return known->second;
  if (fits_.size() >= kNamesKept) fits_.clear();
  const std::string_view* text = name == 0 ? nullptr : stream.Name(name);
  return fits_[key] = text != nullptr && MatchesGlob(pattern_, *text);
}

FoundStep* StepFinder::Add(const RangeEvent& event, uint64_t end) {
  if (!Fits(event.stream, event.record.head.id)) return nullptr;
  if (count_ >= kMostSteps) {
    ++left_out_;
    return nullptr;
  }
  ++count_;
  std::vector<FoundStep>& steps = found_[event.stream.tid()];
  const std::string_view* name = event.stream.Name(event.record.head.id);
  steps.push_back({event.record.begin, end, std::string(name == nullptr ? "" : *name)});
  return &steps.back();
}

void StepFinder::OnRange(const RangeEvent& event) { Add(event, event.record.end); }

void StepFinder::OnOpenRange(const RangeEvent& event) { Add(event, kNeverEnded); }

void StepFinder::OnRangeStart(const RangeEvent& event) {
  if (Add(event, kNeverEnded) == nullptr) return;
  const uint32_t tid = event.stream.tid();
  started_[event.record.end] = {tid, found_[tid].size() - 1};
}

// Of another thread's block, it may come before its start: the step then has no end of its own,
// which only the last one needs.
void StepFinder::OnRangeEnd(const RangeEvent& event) {
  const auto started = started_.find(event.record.end);
  if (started == started_.end()) return;
  const auto [tid, place] = started->second;
  started_.erase(started);
  FoundStep& step = found_[tid][place];
  step.end = std::max(step.begin, event.record.begin);
}

void StepFinder::OnGate(const GateRecord& change) {
  if (change.event == GateEvent::kStepBegins) {
    std::vector<Counted>& counted = counted_[change.head.id];
    if (counted.size() < kMostSteps) counted.push_back({change.ticks, change.step});
  } else if (change.event == GateEvent::kClosed && (change.head.flags & kNoStep) != 0 &&
             closed_.size() < kMostSteps) {
    closed_.push_back(change.ticks);
  }
}

// Each step's count was written just before its range began.
void StepFinder::Number(uint32_t tid, std::vector<FoundStep>* steps) {
  const auto found = counted_.find(tid);
  uint64_t next = 0;
  for (FoundStep& step : *steps) {
    if (found != counted_.end()) {
      const std::vector<Counted>& counted = found->second;
      const auto after = std::partition_point(
          counted.begin(), counted.end(), [&](const Counted& a) { return a.ticks <= step.begin; });
      if (after != counted.begin()) next = std::max<uint64_t>(next, (after - 1)->step);
    }
    step.number = next++;
  }
}

uint64_t StepFinder::ClosedAfter(uint64_t ticks) const {
  const auto closed = std::lower_bound(closed_.begin(), closed_.end(), ticks);
  return closed == closed_.end() ? kNeverEnded : *closed;
}

uint64_t StepFinder::BeginOf(uint32_t tid, uint64_t number) const {
  const auto found = counted_.find(tid);
  if (found == counted_.end()) return kNeverEnded;
  const std::vector<Counted>& counted = found->second;
  const auto step = std::partition_point(counted.begin(), counted.end(),
                                         [&](const Counted& a) { return a.step < number; });
  return step == counted.end() || step->step != number ? kNeverEnded : step->ticks;
}

StepsOfThreads StepFinder::Take() {
  const auto by_time = [](const Counted& a, const Counted& b) { return a.ticks < b.ticks; };
  for (auto& [tid, counted] : counted_) StableSort(&counted, by_time);
  std::sort(closed_.begin(), closed_.end());
  // Where the process counts, the steps are those of the threads that it counted for.
  if (!counted_.empty())
    std::erase_if(found_, [&](const auto& of) { return !counted_.contains(of.first); });
  for (auto& [tid, steps] : found_) {
    StableSort(&steps, [](const FoundStep& a, const FoundStep& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;  // the outer one first
    });
    size_t kept = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (kept != 0 && steps[i].begin < steps[kept - 1].end && steps[kept - 1].end != kNeverEnded) {
        continue;
      }
      if (kept != i) steps[kept] = std::move(steps[i]);
      ++kept;
    }
    steps.resize(kept);
    Number(tid, &steps);
    for (size_t i = 0; i < kept; ++i) {
      FoundStep& step = steps[i];
      const bool follows = i + 1 < kept && steps[i + 1].number == step.number + 1;
      const uint64_t other =
          std::min(ClosedAfter(step.end), follows ? kNeverEnded : BeginOf(tid, step.number + 1));
      if (follows && steps[i + 1].begin <= other) {
        step.end = steps[i + 1].begin;
      } else if (other != kNeverEnded && (i + 1 == kept || other <= steps[i + 1].begin)) {
        step.end = other;
      }
    }
  }
  return std::move(found_);
}

}  // namespace syncline
