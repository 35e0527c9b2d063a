// SPDX-License-Identifier: Apache-2.0
// The longest work of the host, for which the longest waits for other threads may wait.
#include "report/hardly_works.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "report/told_findings.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr uint64_t kOften = 5;   // what happens less often is no habit
constexpr uint64_t kHardly = 5;  // a device works less than this part of the time

// A line that brings less than this part of what it takes has others beside it that take as long,
// unless another change brings most of it.
constexpr uint64_t kLittle = 4;

bool WaitsForOthers(const ReportFinding& finding) {
  return Is(finding, ProblemKind::kAwaitsOthers) || Is(finding, ProblemKind::kExchange);
}

// Where threads meet, each wait is as long as what another thread does meanwhile: that is the
// cause.
ReportFinding* LongestOf(std::vector<ReportFinding>* found) {
  ReportFinding *waits = nullptr, *works = nullptr;
  for (ReportFinding& finding : *found) {
    if (!IsHostWork(finding)) continue;
    ReportFinding*& most = WaitsForOthers(finding) ? waits : works;
    if (most == nullptr || finding.blocked_ns > most->blocked_ns) most = &finding;
  }
  if (waits == nullptr || works == nullptr) return waits == nullptr ? works : waits;
  return works->blocked_ns * 2 < waits->blocked_ns ? waits : works;
}

uint64_t LargestGain(const std::vector<ReportFinding>& found) {
  uint64_t most_ns = 0;
  for (const ReportFinding& finding : found) {
    if (finding.priced) most_ns = std::max(most_ns, finding.gain_ns);
  }
  return most_ns;
}

}  // namespace

void TellThatDevicesHardlyWork(const WorkedTime& time, std::vector<ReportFinding>* found) {
  if (time.seen_ns == 0 || time.busy_ns * kHardly >= time.seen_ns) return;
  ReportFinding* const most = LongestOf(found);
  if (most == nullptr || most->blocked_ns * 2 < time.whole_ns || most->count < kOften * time.ranks)
    return;
  constexpr std::string_view kNothing = "the GPU has nothing to do ";
  if (!most->problem.starts_with(kNothing)) return;
  most->problem = Text("the GPU works only ", ShareText(time.busy_ns, time.seen_ns),
                       " of the time, ", most->problem.substr(kNothing.size()));
  const uint64_t each_ns = most->blocked_ns / std::max<uint64_t>(time.ranks, 1);
  if (!most->priced || most->gain_ns * kLittle >= each_ns || LargestGain(*found) * 2 >= each_ns)
    return;
  most->priced = false;
  most->assumption.clear();
  if (WaitsForOthers(*most)) return;
  most->advice =
      "other lines take as long at the same time: what it brings to change them is not known";
}

}  // namespace syncline
