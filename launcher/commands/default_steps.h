// SPDX-License-Identifier: Apache-2.0
// What a step is where the user says which steps are to be recorded, and not what one is.
#pragma once

#include <string>

#include "launcher/commands/run_line.h"

namespace syncline {

// The optimizer's steps, of whichever framework the program uses. Puts that into the line's
// options, before they are exported. The note that says so; "": nothing was missing.
std::string AddStepRange(RunLine* line);

}  // namespace syncline
