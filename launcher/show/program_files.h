// SPDX-License-Identifier: Apache-2.0
// Which files a recorded program may have lines in, beside those that its findings name.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace syncline {

struct ProgramFiles {
  std::vector<std::string> of_commands;  // words of command lines that look like files
  std::vector<std::string> here;         // below this directory, the run's, those of the commands
  std::vector<std::string> of_packages;  // of its Python
  bool are_all = true;                   // that are there: false where there are too many
};
ProgramFiles FilesOfProgram(const std::string& directory, const Report& report);

}  // namespace syncline
