// SPDX-License-Identifier: Apache-2.0
// Drains the segments that self-draining processes left behind when they died.
#pragma once

#include <functional>
#include <string>

namespace syncline {

struct LeftSegment {
  std::string link;     // the .segment link in the spool folder
  std::string spool;    // the spool beside it
  std::string problem;  // empty: drained; else why not, as a sentence for the user
  bool alive;           // its process still runs: left alone
  bool other_layout;    // of another layout of Syncline: left alone, `problem` says so
  bool elsewhere;       // its memory is on another node: left alone
  bool gone;  // it was removed (a reboot, a clean-up of /dev/shm): the spool is all there is
};

// For each .segment link in `folder` (run/spool/HOST): drains what is left of its segment into the
// spool beside it, removes segment and link, and calls `report`. What was left before anything
// could be recorded is removed without a word, if HOST is this node (`here`). Two callers at once:
// one does it, the other finds nothing. What leaves less than `disk_reserve` free is counted as
// lost. Not for the injected side.
void DrainLeftSegments(const std::string& folder, bool here, uint64_t disk_reserve,
                       const std::function<void(const LeftSegment&)>& report);

}  // namespace syncline
