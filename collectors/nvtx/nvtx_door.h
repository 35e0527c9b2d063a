// SPDX-License-Identifier: Apache-2.0
// How NVTX loads us; free of vendor types, as each build has it.
#pragma once

#include "inject/core/door.h"

namespace syncline::nvtx {

inline constexpr Door kDoor = {"NVTX_INJECTION64_PATH", "SYNCLINE_OLD_NVTX", true};

// Calls a function of the user's own library; 0, "nothing to do", without one.
int CallUsers(const char* entry, void* argument);

}  // namespace syncline::nvtx
