// SPDX-License-Identifier: Apache-2.0
// The name of a run, from its command: the script's or program's, not that of python, mpirun or a
// shell.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace syncline {

// `is_program` says whether a word names something that can be run (a file, or a program in PATH):
// it tells the program of `mpirun -n 4 ./solver` from the values of mpirun's options. The result is
// fit for a directory's name, never empty.
std::string JobName(const std::vector<std::string>& command,
                    const std::function<bool(const std::string&)>& is_program);

}  // namespace syncline
