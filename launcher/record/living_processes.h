// SPDX-License-Identifier: Apache-2.0
// Which processes of a run still live after the program has ended.
#pragma once

#include <string>
#include <vector>

namespace syncline {

// Names with pids, "sleep (pid 5)", of those whose environment says that they belong to the run:
// whatever started them, and whether or not they recorded. Those of other users, and those that
// wrote over their environment, are not seen.
std::vector<std::string> LivingProcesses(const std::string& run_directory);

}  // namespace syncline
