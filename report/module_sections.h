// SPDX-License-Identifier: Apache-2.0
// A model's modules by path.
#pragma once

#include "model/findings/run_findings.h"
#include "report/report.h"

namespace syncline {

// Each before those below it, of those beside each other the costliest on devices first; where
// there are none, on the host. What is never called itself is there where others stand below it.
// Those beyond the most are one.
void AddModules(const RunFindings& findings, Report* report);

}  // namespace syncline
