// SPDX-License-Identifier: Apache-2.0
// Whether a process has a file mapped.
#pragma once

#include <sys/types.h>

namespace syncline {

// After exec it has not. True where nobody may look.
bool MapsFile(int pid, ino_t inode);

}  // namespace syncline
