// SPDX-License-Identifier: Apache-2.0
// Runs one program and records it: from the run's directory to the lines that tell what came of it.
#pragma once

#include <string>
#include <vector>

#include "launcher/commands/run_line.h"
#include "launcher/jobs/mpi_command.h"
#include "launcher/start/env_plan.h"
#include "launcher/start/spawn.h"

namespace syncline {

struct RecordRequest {
  std::string program_path;
  Arguments arguments;  // with argv[0]
  EnvBlock inherited;   // as it was before our options
  std::string library;
  std::vector<GivenOption> options;  // given on the line
  MpiLauncher mpi = MpiLauncher::kNone;
  std::string preload;             // PreloadPath; empty: --no-preload
  std::vector<EnvChange> for_gpu;  // of `inherited`: what --on-simulated-gpu has put there
  std::string behind;              // of LD_PRELOAD's entries: those that come behind ours
};

// Options given on the line as the variables that hand them down; those that only concern this
// launcher are left out.
std::vector<EnvChange> OptionVariables(const std::vector<GivenOption>& options);

// The program as it would run without us.
SpawnRequest Unrecorded(const RecordRequest& request);

// Runs the program and records it; where that cannot be set up the program takes our place,
// unrecorded. Returns the exit status if the program could not be run; else leaves as the program
// did and does not return.
int RecordProgram(const RecordRequest& request);

}  // namespace syncline
