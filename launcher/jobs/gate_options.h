// SPDX-License-Identifier: Apache-2.0
// The options that say when something is recorded, as users see them: what is wrong with one of
// them, or with two together.
#pragma once

#include <cstddef>
#include <string>

#include "writers/findings/manifest.h"

namespace syncline {

inline constexpr const char* kProgramHasNoRanges =
    "the program has no ranges (NVTX makes some: torch.cuda.nvtx.range_push, Python's "
    "nvtx.annotate, nvtxRangePushA)";

// Their texts; empty: not given.
struct GateOptions {
  std::string stages;
  std::string exclude_stages;
  std::string step_range;
  std::string steps;
  std::string schedule;
  std::string gate = "auto";
  bool delay = false;
  bool duration = false;
};

bool IsGateOption(size_t option);  // index in kOptions

// Those in force: of the command line, else of the environment.
GateOptions GivenGateOptions();

// A sentence with the nearest form that is right, or "".
std::string GateProblem(const GateOptions& options);

// Why nothing was recorded though something ran: no range has the name of a stage, the step never
// came, the program ended before. `gate`: of a process in which the gate was never open. Pure.
std::string NeverOpenText(const GateOptions& options, const ManifestGate& gate);

}  // namespace syncline
