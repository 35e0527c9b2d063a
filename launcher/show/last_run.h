// SPDX-License-Identifier: Apache-2.0
// The run that a command reads where none is named.
#pragma once

#include <string>

namespace syncline {

// Puts the last run of this directory (of -o, else of syncline-out) into an empty `directory`, and
// says which it is. False: there is none, which was said.
bool TakeLastRun(std::string* directory);

}  // namespace syncline
