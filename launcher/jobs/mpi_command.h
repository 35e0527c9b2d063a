// SPDX-License-Identifier: Apache-2.0
// Edits the command line of an MPI launcher so that our variables reach its ranks on other nodes.
#pragma once

#include <string>
#include <vector>

#include "launcher/start/env_plan.h"

namespace syncline {

enum class MpiLauncher {
  kNone,     // not an MPI launcher
  kUnknown,  // mpirun or mpiexec of unknown make: ask it for its version
  kOpenMpi,  // forwards only what `-x` or mca_base_env_list names
  kHydra,    // MPICH, Intel MPI: forwards the environment by itself
};

// From the last part of the program's path ("mpirun.openmpi", "mpiexec.hydra").
MpiLauncher MpiLauncherOfName(const std::string& name);

// From what `mpirun --version` prints.
MpiLauncher MpiLauncherOfVersion(const std::string& output);

// The launcher behind `path`: its name, the name its links lead to, or what it answers to --version
// (within 5 s).
MpiLauncher FindMpiLauncher(const std::string& path);

// How many values follow this option of mpirun (Open MPI and MPICH); 0 also for an option that is
// not known.
int MpiOptionValues(const std::string& option);

struct MpiEdit {
  std::vector<std::string> arguments;
  std::vector<EnvChange> changes;  // of mpirun's own environment, to be made last
};

// `arguments`: argv of Open MPI's mpirun. `environment`: its environment with the plan applied.
// Adds `-x NAME` for each of our variables to each application context (":" separates them), or
// NAME to mca_base_env_list where the user has one, because Open MPI refuses both together. A
// user's own `-x LD_PRELOAD=value` and the like is planned for as if it stood in the environment.
// All other arguments stay as and where they are.
MpiEdit ForwardThroughOpenMpi(const std::vector<std::string>& arguments, const EnvRequest& request,
                              const EnvBlock& environment);

}  // namespace syncline
