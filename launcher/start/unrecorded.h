// SPDX-License-Identifier: Apache-2.0
// Runs the program without recording it: what Syncline cannot set up, it does without.
#pragma once

#include <string>

#include "launcher/start/spawn.h"

namespace syncline {

// Replaces this process by the program; returns the exit status only if that fails, and has said
// why. `inherited`: what the program gets back; null: nothing was changed.
int Become(const SpawnRequest& program, const InheritedState* inherited = nullptr);

// The same, after telling `why` the program is not recorded: whole sentences.
int RunUnrecorded(const SpawnRequest& program, const std::string& why,
                  const InheritedState* inherited = nullptr);

inline constexpr const char* kTooLong =
    "with the variables that record it the program's arguments and environment are too long.";

// Of a launcher that records one process.
inline constexpr unsigned kLeastDescriptors = 16;

// "Too many open files (raise `ulimit -n`)": an errno of a set-up step, with what helps.
std::string SetupErrorText(int error);

}  // namespace syncline
