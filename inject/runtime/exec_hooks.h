// SPDX-License-Identifier: Apache-2.0
// Programs that a program starts: whether they get what the launcher had set, and what is done
// where they do not.
#pragma once

#include <cstdint>

namespace syncline {

// In the library's constructor of a process that may start others which record. `rank` -1: none.
// Until then nothing is looked at.
void WatchStartedPrograms(int32_t rank);

// Of so many processes of a program that another process has started, with what that one has.
void TellOfLaunched(const char* program, int count);

}  // namespace syncline
