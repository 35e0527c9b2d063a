// SPDX-License-Identifier: Apache-2.0
// A step reaches to the begin of the next one, recorded or not.
#include "model/run/step_costs.h"

#include <algorithm>

#include "base/stable_sort.h"
#include "model/run/gate_history.h"

namespace syncline {
namespace {

bool EndsStep(const GateRecord& record) {
  return record.event == GateEvent::kClosed && (record.head.flags & kNoStep) != 0;
}

// So many quarters of them are shorter.
uint64_t Quartile(const std::vector<uint64_t>& sorted, size_t quarters) {
  return sorted[(sorted.size() - 1) * quarters / 4];
}

template <typename Steps>
std::vector<uint64_t> SortedNs(const Steps& steps, Timeline* line) {
  std::vector<uint64_t> lengths;
  for (const auto& step : steps)
    lengths.push_back(line->Convert(step.end) - line->Convert(step.begin));
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

}  // namespace

void StepCosts::Add(const GateRecord& record) {
  const bool begins =
      record.event == GateEvent::kStepBegins || record.event == GateEvent::kBareStepBegins;
  if ((begins || EndsStep(record)) && begins_.size() < kMostSteps) begins_.push_back(record);
}

// A process's first step has much to make ready, and is neither.
void StepCosts::Finish(const std::vector<OpenWindow>& windows) {
  StableSort(&begins_, [](const GateRecord& a, const GateRecord& b) { return a.ticks < b.ticks; });
  for (size_t i = 0; i + 1 < begins_.size(); ++i) {
    const GateRecord &step = begins_[i], &next = begins_[i + 1];
    const bool follows = next.event == step.event && next.step == step.step + 1;
    if (EndsStep(step) || step.step == 0) continue;
    if (step.event == GateEvent::kBareStepBegins) {
      if (follows) bare_.push_back({step.ticks, next.ticks});
      continue;
    }
    const bool whole = std::any_of(windows.begin(), windows.end(), [&](const OpenWindow& window) {
      return window.begin <= step.ticks && next.ticks <= window.end;
    });
    if (whole && (follows || EndsStep(next))) recorded_.push_back({step.ticks, next.ticks});
  }
  begins_ = {};
}

void StepCosts::CountCall(uint64_t begin) {
  const auto after =
      std::partition_point(recorded_.begin(), recorded_.end(),
                           [begin](const TimedStep& step) { return step.begin <= begin; });
  if (after != recorded_.begin() && begin < (after - 1)->end) ++calls_;
}

RecordingCost StepCosts::Cost(Timeline* line) const {
  RecordingCost cost;
  if (std::min(recorded_.size(), bare_.size()) < RecordingCost::kLeastSteps) return cost;
  const std::vector<uint64_t> recorded = SortedNs(recorded_, line), bare = SortedNs(bare_, line);
  cost.recorded = recorded.size();
  cost.recorded_ns = Quartile(recorded, 1);
  cost.bare = bare.size();
  cost.bare_ns = Quartile(bare, 1);
  cost.calls = calls_;
  cost.is_clear = cost.recorded_ns > Quartile(bare, 3);
  return cost;
}

}  // namespace syncline
