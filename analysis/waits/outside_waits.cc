// SPDX-License-Identifier: Apache-2.0
// One wait a call.
#include "analysis/waits/outside_waits.h"

#include <algorithm>

namespace syncline {

Wait WholeCall(const SourceCall& call, WaitClass wait_class) {
  Wait wait;
  wait.begin_ns = call.begin_ns;
  wait.end_ns = call.end_ns;
  wait.tid = call.tid;
  wait.correlation = call.correlation;
  wait.name = call.name;
  wait.wait_class = wait_class;
  wait.open = call.open;
  return wait;
}

std::vector<Wait> FindOutsideWaits(const CallRecords& records, const WaitRules& rules) {
  std::vector<Wait> waits;
  for (const SourceCall& call : records.calls) {
    const RoleRule& rule = rules.roles[RuleIndex(call.role)];
    if (rule.waits_for == WaitsFor::kOutside && !call.inner)
      waits.push_back(WholeCall(call, rule.wait_class));
  }
  std::stable_sort(waits.begin(), waits.end(),
                   [](const Wait& a, const Wait& b) { return a.begin_ns < b.begin_ns; });
  return waits;
}

}  // namespace syncline
