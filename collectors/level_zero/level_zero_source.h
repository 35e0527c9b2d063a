// SPDX-License-Identifier: Apache-2.0
// Level Zero as a source of records.
#pragma once

#include "inject/core/call_log.h"

namespace syncline::level_zero {

inline constexpr Source kSource = SYNCLINE_SOURCE_level_zero;

extern CallLog<kSource> g_calls;

// The source's own numbers, from 1; each call of the program has one.
uint32_t NextCorrelation();

}  // namespace syncline::level_zero
