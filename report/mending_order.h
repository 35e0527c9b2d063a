// SPDX-License-Identifier: Apache-2.0
// What changes bring one after another: with the first one made, another brings less, or more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/job_gain.h"
#include "report/report.h"

namespace syncline {

// Sets `step` and `more_ns` of those findings that still bring a hundredth of `length_ns` when
// those of the steps before are made. The first step is the first finding that has a gain; then
// comes the one that brings most, or the first in the report that brings nearly as much.
void FindMendingOrder(const RunFindings& findings, const JobGain& gains, uint64_t length_ns,
                      std::vector<ReportFinding>* answers);

// "One after another: 1 brings 20.0 ms (20 %), 3 then 9.00 ms more (9 %). The GPU works 96 % of
// the 71.0 ms that are left." Empty: there are no two findings with a gain. The findings have their
// numbers.
std::string OrderText(const RunFindings& findings, uint64_t length_ns,
                      const std::vector<ReportFinding>& answers);

}  // namespace syncline
