// SPDX-License-Identifier: Apache-2.0
// The time of the steps, else of the replay, else of the run; of several processes all that they
// take together.
#include <algorithm>
#include <map>
#include <string>

#include "report/ranked_changes.h"
#include "report/shared_devices.h"

namespace syncline {
namespace {

// That has most steps; null: none has any.
const StepSeries* SeriesOf(const RankPart& part) {
  const auto most = std::max_element(
      part.steps.begin(), part.steps.end(),
      [](const StepSeries& a, const StepSeries& b) { return a.steps.size() < b.steps.size(); });
  return most == part.steps.end() ? nullptr : &*most;
}

// From the first step to the end of what was submitted in the last one.
uint64_t TimeOfSteps(const RankPart& part) {
  const StepSeries* const most = SeriesOf(part);
  const Step* const first = most == nullptr ? nullptr : FirstSteadyStep(most->steps);
  if (first == nullptr) return 0;
  const Step& last = most->steps.back();
  const uint64_t begin_ns = first->begin_ns;
  uint64_t end_ns = last.begin_ns + last.duration_ns;
  for (const DeviceUse& use : part.devices) end_ns = std::max(end_ns, use.end_ns);
  if (part.analysed_until_ns != 0) end_ns = std::min(end_ns, part.analysed_until_ns);
  return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

// Of the process with most steps. Of several processes all that they did is the rank's, and nobody
// adds up what they did on one device: empty where it is shared, or there are no steps.
TimeShares SharesOf(const RankPart& part) {
  if (part.replay.together_ns == 0) {
    const StepSeries* const most = SeriesOf(part);
    return most == nullptr || most->steps.size() < 2 ? TimeShares() : most->shares;
  }
  std::map<int32_t, const StepSeries*> most;  // by process
  for (const StepSeries& series : part.steps) {
    const StepSeries*& its = most[series.pid];
    if (its == nullptr || series.steps.size() > its->steps.size()) its = &series;
  }
  TimeShares sum;
  for (const auto& [pid, series] : most) sum.Add(series->shares);
  const bool all = std::all_of(part.devices.begin(), part.devices.end(), [&](const DeviceUse& use) {
    return use.processes == 1 && most.contains(use.pid);
  });
  return all ? sum : TimeShares();
}

}  // namespace

uint64_t WorkingTimeNs(const RunFindings& findings) {
  uint64_t begin = UINT64_MAX, end = 0, longest = 0, steps = 0;
  for (const auto& [name, part] : findings.ranks) {
    const uint64_t of_steps = TimeOfSteps(part);
    steps = std::max(steps, part.replay.together_ns != 0
                                ? part.replay.together_ns
                                : of_steps - std::min(of_steps, part.replay.recording_ns));
    longest = std::max(
        longest, part.replay.whole_ns - std::min(part.replay.whole_ns, part.replay.recording_ns));
    if (!part.complete) continue;
    begin = std::min(begin, part.begin_ns);
    end = std::max(end, part.end_ns);
  }
  if (steps != 0) return steps;
  return longest != 0 ? longest : end > begin ? end - begin : 0;
}

std::pair<uint64_t, uint64_t> BusyTime(const RunFindings& findings) {
  uint64_t working = 0, seen = 0, busy = 0, seen_in_all = 0;
  for (const auto& [name, part] : findings.ranks) {
    const TimeShares shares = SharesOf(part);
    working += shares[TimeKind::kComputing] + shares[TimeKind::kCommunicating] +
               shares[TimeKind::kCopying];
    seen += shares.Sum();
    for (const DeviceUse& use : part.devices) {
      busy += use.busy_ns;
      seen_in_all += use.SeenNs();
    }
  }
  if (seen == 0) working = busy, seen = seen_in_all;
  return {working, static_cast<uint64_t>(static_cast<double>(seen) / RanksOfEachDevice(findings))};
}

}  // namespace syncline
