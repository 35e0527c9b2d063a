// SPDX-License-Identifier: Apache-2.0
// CUDA as a source of records.
#pragma once

#include "inject/core/call_log.h"

namespace syncline::cuda {

inline constexpr Source kSource = SYNCLINE_SOURCE_cuda;

extern CallLog<kSource> g_calls;

}  // namespace syncline::cuda
