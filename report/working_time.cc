// SPDX-License-Identifier: Apache-2.0
// The time of the steps, else of the replay, else of the run.
#include <algorithm>
#include <string>

#include "report/ranked_changes.h"
#include "report/shared_devices.h"

namespace syncline {
namespace {

// From the first step to the end of what was submitted in the last one.
uint64_t TimeOfSteps(const RankPart& part) {
  const auto most = std::max_element(
      part.steps.begin(), part.steps.end(),
      [](const StepSeries& a, const StepSeries& b) { return a.steps.size() < b.steps.size(); });
  const Step* const first = most == part.steps.end() ? nullptr : FirstSteadyStep(most->steps);
  if (first == nullptr) return 0;
  const Step& last = most->steps.back();
  const uint64_t begin_ns = first->begin_ns;
  uint64_t end_ns = last.begin_ns + last.duration_ns;
  for (const DeviceUse& use : part.devices) end_ns = std::max(end_ns, use.end_ns);
  if (part.analysed_until_ns != 0) end_ns = std::min(end_ns, part.analysed_until_ns);
  return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

// Of the steps against which gains are held; empty: the program has none.
std::string StepsName(const RunFindings& findings) {
  std::string name;
  size_t most = 1;
  for (const auto& [rank, part] : findings.ranks) {
    for (const StepSeries& series : part.steps) {
      if (series.steps.size() <= most) continue;
      most = series.steps.size();
      name = series.name;
    }
  }
  return name;
}

}  // namespace

uint64_t WorkingTimeNs(const RunFindings& findings) {
  uint64_t begin = UINT64_MAX, end = 0, longest = 0, steps = 0;
  for (const auto& [name, part] : findings.ranks) {
    steps = std::max(steps, TimeOfSteps(part));
    longest = std::max(longest, part.replay.whole_ns);
    if (!part.complete) continue;
    begin = std::min(begin, part.begin_ns);
    end = std::max(end, part.end_ns);
  }
  if (steps != 0) return steps;
  return longest != 0 ? longest : end > begin ? end - begin : 0;
}

std::pair<uint64_t, uint64_t> ComputingTime(const RunFindings& findings) {
  const std::string steps = StepsName(findings);
  uint64_t computing = 0, seen = 0;
  for (const auto& [key, work] : findings.stages) {
    if (steps.empty() || key.name != steps) continue;
    computing += work.busy_ns;
    seen += work.busy_of_ns;
  }
  for (const auto& [name, part] : findings.ranks) {
    for (const DeviceUse& use : part.devices) {
      if (!steps.empty()) continue;
      computing += use.computing_ns;
      seen += use.SeenNs();
    }
  }
  return {computing,
          static_cast<uint64_t>(static_cast<double>(seen) / RanksOfEachDevice(findings))};
}

}  // namespace syncline
