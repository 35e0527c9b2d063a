// SPDX-License-Identifier: Apache-2.0
// What tells devices of one number apart, and whether it is known when they were idle.
#pragma once

#include <string>
#include <vector>

#include "model/findings/run_findings.h"
#include "report/report.h"

namespace syncline {

// After the devices were added: fills in ReportDevice::apart and idle_known.
void MarkDevices(const RunFindings& findings, Report* report);

// Sentences about devices that ranks of several launchers used at one time.
std::vector<std::string> UnknownIdleTexts(const RunFindings& findings);

}  // namespace syncline
