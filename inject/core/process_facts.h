// SPDX-License-Identifier: Apache-2.0
// What is recorded about a process itself, read from /proc and the environment.
#pragma once

#include "inject/core/segment.h"

namespace syncline {

// Fills `facts` for the calling process; what cannot be read is left empty. The command line is
// left out where the option command.line is off. A few system calls, no heap; any thread; keeps
// errno.
void FillProcessFacts(ProcessFacts* facts);

}  // namespace syncline
