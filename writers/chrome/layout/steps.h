// SPDX-License-Identifier: Apache-2.0
// The steps of a process as slices of its threads: ProfilerStep#N, the name that HTA looks for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/run/rank_model.h"
#include "model/run/step_finder.h"

namespace syncline {

struct ShownStep {
  uint32_t tid = 0;
  uint64_t number = 0;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  std::string name;  // of the range that makes it one
};

struct StepsOfRun {
  std::vector<ShownStep> shown;
  uint64_t left_out = 0;  // beyond StepFinder::kMostSteps
};

// Those within the process's life, by thread and begin. None if the program's own ranges have such
// names: they are what HTA looks for.
std::vector<ShownStep> ShownSteps(const StepsOfThreads& found, uint64_t base_ns, ProgramRun* run);

}  // namespace syncline
