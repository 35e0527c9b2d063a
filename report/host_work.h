// SPDX-License-Identifier: Apache-2.0
// What the host did while devices had nothing to do, as its samples tell.
#pragma once

#include "report/report.h"

namespace syncline {

// Fills in Report::host_work and its text. Nothing where nothing was sampled.
void AddHostWork(const RunFindings& findings, Report* report);

}  // namespace syncline
