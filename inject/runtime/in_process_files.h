// SPDX-License-Identifier: Apache-2.0
// Where a process that drains itself writes: its folder, its spool and the link to its segment.
#pragma once

#include "inject/core/segment.h"
#include "inject/core/text.h"

namespace syncline {

// Below SYNCLINE_SPOOL, else below SYNCLINE_OUTPUT, else below syncline-out/ of the current
// directory. All paths are absolute: the current directory is the program's and may change.
struct InProcessFiles {
  TextBuffer output;  // what `syncline recover` is given; empty: a launcher formats by itself
  TextBuffer folder;  // .../run/spool/HOST
  TextBuffer spool;   // FOLDER/PID-START-N.spool, the first N that is free
  TextBuffer link;    // FOLDER/PID-START-N.segment, a link to the segment's file
  int error = 0;      // why there are none; 0: no name is free
};

// Names the files and makes their folder. `launcher_near`: a launcher of this node recovers and
// formats. False: the folder cannot be made, or no name is free.
bool FindInProcessFiles(const ProcessFacts& facts, bool launcher_near, InProcessFiles* files);

// Tells the user that nothing of this process is recorded because of `error`, and what helps.
void TellNoFiles(int error, const char* folder);

}  // namespace syncline
