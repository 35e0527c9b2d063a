// SPDX-License-Identifier: Apache-2.0
// The spool that the launcher left of this process's segment, found by a path that somebody else
// may have written: all who hold the segment can, and they may be of another user.
#pragma once

#include "inject/consumer/spool_file.h"
#include "inject/core/process_facts.h"

namespace syncline {

// Opens the spool at `path` if it proves to be one that was begun for the process of `facts`, and
// if nobody but this user and root could have put it there. -errno; -EPERM: it proves nothing of
// the kind. One thread at a time.
int OpenLeftSpoolFile(const char* path, const ProcessFacts& facts);

// Removes the file of `spool`, if its name still leads to it.
void RemoveLeftSpoolFile(const SpoolFile& spool, const ProcessFacts& facts);

}  // namespace syncline
