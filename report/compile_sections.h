// SPDX-License-Identifier: Apache-2.0
// Compilations in a report.
#pragma once

#include "report/report.h"

namespace syncline {

void AddCompilations(const RunFindings& findings, Report* report);

}  // namespace syncline
