// SPDX-License-Identifier: Apache-2.0
// What is said where a process cannot be recorded: which one, because its parent may well be.
#pragma once

namespace syncline {

// From now on this process is one that a fork made.
void BeForksChildInWords();

// "error: WHY; process 4711, a fork's child, is not recorded: DETAIL"
void TellNotRecorded(const char* why, const char* detail = "");

}  // namespace syncline
