// SPDX-License-Identifier: Apache-2.0
// What an environment that is given to a program lacks of what the launcher had set.
#pragma once

#include "inject/core/handover.h"

namespace syncline {

// Environments with more variables are left alone: nothing is said of them.
inline constexpr size_t kMostVariables = 4096;

struct GivenEnvironment {
  size_t variables = 0;   // at most kMostVariables + 1
  Lack lack = {};         // of more variables: nothing
  bool disabled = false;  // SYNCLINE_DISABLE is set in it
};

// Null is an empty environment. Reads it as it stands: it is what the program hands over in this
// call. In hooks, also in a vfork's child.
GivenEnvironment LookAtEnvironment(char* const* environment);

// The value, if `entry` is the variable `name`, else null.
const char* ValueIn(const char* entry, const char* name);

}  // namespace syncline
