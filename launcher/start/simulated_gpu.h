// SPDX-License-Identifier: Apache-2.0
// The package syncline-simulated-gpu, for `--on-simulated-gpu`: libraries under NVIDIA's names, on
// which a program runs where there is no GPU. Nothing else of Syncline knows of it.
#pragma once

#include <string>

#include "launcher/start/env_plan.h"

namespace syncline {

struct SimulatedGpu {
  std::string folder;  // of the libraries
  EnvChange path;      // makes the program find them before others
  // What LD_PRELOAD has to name behind our library, separated by colons: libraries that the
  // program's own would find in another way, because they name a folder. "": nothing.
  std::string preload;
  std::string error;  // why there is none and what to do, whole sentences; "": there is one
};

// For `program` (a path) in that environment. `given` is the folder that the user names; "": it is
// that of the first environment of Python that has the package (python_environments.h).
SimulatedGpu FindSimulatedGpu(const std::string& program, const std::string& given,
                              const EnvBlock& environment);

}  // namespace syncline
