// SPDX-License-Identifier: Apache-2.0
// Spans of the host, which meet where one step follows the other.
#include "analysis/sums/steady_steps.h"

#include <algorithm>
#include <utility>

namespace syncline {

SteadySteps::SteadySteps(std::string name, const TimedSeries& timed)
    : name_(std::move(name)), others_(timed.OfAll().threads) {
  std::vector<Step> steps;
  for (const TimedStep& one : timed.steps) steps.push_back(one.step);
  const Step* const steady = FirstSteadyStep(steps);
  const size_t first = steady == nullptr ? 0 : static_cast<size_t>(steady - steps.data());
  for (size_t i = first; i < timed.steps.size(); ++i) spans_.push_back(timed.steps[i].host);
  steps_ = spans_.size();
  JoinCoverageGaps(&spans_);
}

bool SteadySteps::Has(uint32_t tid, uint64_t at_ns) const {
  if (std::binary_search(others_.begin(), others_.end(), tid)) return false;
  const auto after =
      std::partition_point(spans_.begin(), spans_.end(),
                           [&](const CoverageGap& span) { return span.begin_ns <= at_ns; });
  return after != spans_.begin() && at_ns < (after - 1)->end_ns;
}

StepOps SteadySteps::OpsIn(WorkCurves* curves) const {
  StepOps ops;
  for (const CoverageGap& span : spans_)
    curves->CountOps(span.begin_ns, span.end_ns, others_, &ops);
  ops.steps = curves->knows_all() ? steps_ : 0;
  return ops;
}

KernelTally SteadySteps::KernelsIn(WorkCurves* curves) const {
  KernelTally tally;
  for (const CoverageGap& span : spans_)
    curves->TallyAll(span.begin_ns, span.end_ns, others_, &tally);
  return tally;
}

CopyParts SteadySteps::CopiesIn(const WorkCurves& curves) const {
  CopyParts parts;
  for (const CoverageGap& span : spans_)
    curves.TallyCopies(span.begin_ns, span.end_ns, others_, &parts);
  return parts;
}

}  // namespace syncline
