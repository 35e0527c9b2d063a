// SPDX-License-Identifier: Apache-2.0
// The command line by which Nsight Compute profiles one launch of a kernel.
#pragma once

#include <string>

#include "launcher/show/launch_choice.h"

namespace syncline {

inline constexpr char kKernelProfiler[] = "ncu";

// The filter of an NVTX range, as --nvtx-include takes it: "domain@range/" of a push/pop range,
// without the slash of a start/end range.
std::string NvtxFilter(const StageCall& call);

// Reads as a shell script: lines that begin with # say what it is, and one that has the command.
// Of a rank of a job this is what stands in place of the program's own line in the job's command.
std::string ProfileLines(const ChosenLaunch& chosen, const RankLaunches& rank);

// The command alone; empty: there is none.
std::string ProfileCommand(const ChosenLaunch& chosen, const RankLaunches& rank);

// Whether it runs alone: it is no rank of a job.
bool RunsAlone(const RankLaunches& rank);

}  // namespace syncline
