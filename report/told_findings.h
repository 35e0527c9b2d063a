// SPDX-License-Identifier: Apache-2.0
// Which findings are worth telling, and in which order.
#pragma once

#include <cstdint>
#include <vector>

#include "report/advice.h"
#include "report/report.h"

namespace syncline {

bool Is(const ReportFinding& finding, ProblemKind kind);
// Whether it is about what the host did while a device computed nothing.
bool IsHostWork(const ReportFinding& finding);
// False: it is small beside the first one, or brings less than a hundredth of the time; launches,
// copies and communication, of which each program has some, a twentieth; a slow way to the next
// launch, a fiftieth.
bool IsWorthChanging(const ReportFinding& finding);

// Best first: by what each brings, and of those that have no price by what they cost each of
// `ranks`. Nothing that is not worth changing, unless `all`; `small` is filled in (less than a
// tenth of what the first one brings, of launches and copies; of others, a fiftieth). Behind these
// stand waits that last a tenth of `length_ns` and bring nothing when they are gone, because the
// devices are busy meanwhile.
std::vector<ReportFinding> ToldFindings(std::vector<ReportFinding> found, uint64_t length_ns,
                                        uint64_t ranks, bool all);

}  // namespace syncline
