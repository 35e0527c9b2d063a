// SPDX-License-Identifier: Apache-2.0
// How the driver loads us; free of vendor types, as each build has it.
#pragma once

#include "inject/core/door.h"

namespace syncline::cuda {

inline constexpr Door kDoor = {"CUDA_INJECTION64_PATH", "SYNCLINE_OLD_CUDA"};

}  // namespace syncline::cuda
