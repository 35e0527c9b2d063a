// SPDX-License-Identifier: Apache-2.0
// What compilers made of a program, in a report.
#pragma once

#include "report/report.h"

namespace syncline {

void AddCompiled(const RunFindings& findings, Report* report);

}  // namespace syncline
