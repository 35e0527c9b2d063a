// SPDX-License-Identifier: Apache-2.0
// What frameworks' allocators had given out: sentences, and the places that had it.
#pragma once

#include <string>
#include <vector>

#include "model/findings/run_findings.h"
#include "report/report.h"

namespace syncline {

void AddAllocators(const RunFindings& findings, Report* report);

// No memory was left; it grows from step to step; it lies in pieces. One sentence for each
// allocator of which that is so, and of those alike the first ones.
std::vector<std::string> MemoryTexts(const Report& report);

}  // namespace syncline
