// SPDX-License-Identifier: Apache-2.0
// A framework's operators by name.
#pragma once

#include "model/findings/run_findings.h"
#include "report/report.h"

namespace syncline {

// The costliest on devices first; where there are none, on the host. Those beyond the most are one.
void AddOperators(const RunFindings& findings, Report* report);

}  // namespace syncline
