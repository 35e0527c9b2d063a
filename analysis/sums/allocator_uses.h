// SPDX-License-Identifier: Apache-2.0
// What is told of a process's allocators: one row a device.
#pragma once

#include <vector>

#include "analysis/sums/memory_events.h"
#include "analysis/sums/work_curves.h"
#include "model/findings/run_findings.h"

namespace syncline {

// `events`: of the run, all read. `steps`: when the host was in the steps of which there are most.
void TellAllocators(const ProgramRun& run, const std::vector<CoverageGap>& steps,
                    MemoryEvents* events, RankPart* part);

// Where a framework's kernels ran and its allocator told of no block: says so.
void TellSilentAllocators(const ProgramRun& run, const WorkCurves& curves, RankPart* part);

}  // namespace syncline
