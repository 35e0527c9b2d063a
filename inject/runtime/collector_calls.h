// SPDX-License-Identifier: Apache-2.0
// When the frame calls the functions of collectors.
#pragma once

#include "inject/runtime/process_state.h"

namespace syncline {

// A collector that waits for a library (StartAt::kLibrary) is started where the library is found to
// be mapped. The frame looks
//   - when it is loaded: all libraries are mapped that the program is linked to;
//   - when the session starts;
//   - when a thread records for the first time;
//   - each time that a thread has used half of its ring: at most 128 records later at first, later
//     up to a quarter million.
// A look compares the loader's count of loaded libraries with that of the look before, and costs
// more only if there are more libraries. A library that is opened in a process that records nothing
// afterwards is not noticed, nor one that a fork's child opens. `start` then runs on a thread of
// ours, which ends with it; when the library is there from the beginning, it runs in the
// constructor.

// From the constructor, once. Costs a glance at the table where no collector wants something so
// early.
void StartCollectorsOfProcess();

// Calls what is due and was not called in this process. `recording`: the session starts, or is on.
// Keeps errno.
void StartDueCollectors(ProcessState* process, bool recording);

// The same if a library was loaded since the last look and a collector waits for one.
void StartCollectorsOfLibraries(ProcessState* process);

// At exit. The collectors share one second; then the helper threads end.
void FlushCollectors();

// In a fork's child.
void TellCollectorsOfFork();

}  // namespace syncline
