// SPDX-License-Identifier: Apache-2.0
// The spool that the launcher left of this process's segment, found by a path that somebody else
// may have written: all who hold the segment can, and they may be of another user.
#pragma once

#include "inject/consumer/spool_file.h"
#include "inject/core/process_facts.h"

namespace syncline {

enum class Continued { kLauncherLives, kYes, kFailed };

// Opens what the launcher has left of the segment of the process of `facts`, if the launcher holds
// it no more: at the mark, in a file that was begun for this process, where nobody but this user
// and root could have put it. While it ends the launcher may leave another spool in place of the
// first; `*is_rest`: it was that one. One thread at a time.
Continued OpenLeftSpool(const SegmentHeader& header, const ProcessFacts& facts, DiskBudget* budget,
                        SpoolFile* spool, bool* is_rest);

// Removes the file of `spool`, if its name still leads to it.
void RemoveLeftSpoolFile(const SpoolFile& spool, const ProcessFacts& facts);

}  // namespace syncline
