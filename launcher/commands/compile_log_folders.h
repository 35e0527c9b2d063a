// SPDX-License-Identifier: Apache-2.0
// The logs of frameworks' compilers that the options ask for, each in a folder of the run.
#pragma once

#include <string>
#include <vector>

#include "launcher/start/env_plan.h"

namespace syncline {

// The variables that the program is to be given; makes the folders in `held`, where the run is held
// open, and names them as in `named`. A variable that the user set for something else stays, and a
// warning says so.
std::vector<EnvChange> CompileLogVariables(const std::string& held, const std::string& named,
                                           const std::string& node, const EnvBlock& inherited);

}  // namespace syncline
