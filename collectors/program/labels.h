// SPDX-License-Identifier: Apache-2.0
// Labels of a region, as a payload with its schema: keys are written once a stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/program/syncline.h"
#include "inject/core/thread_log.h"

namespace syncline::program {

inline constexpr size_t kMostLabels = 16;    // of a region; the others are left out
inline constexpr size_t kLongestKey = 63;    // a longer one is cut
inline constexpr size_t kLongestText = 255;  // the same

// Inside a HookScope, before the record whose begin is `key`. False: none was recorded (counted
// where something was lost). May move the stack of open ranges.
bool EmitLabels(ThreadLog& log, uint16_t domain, uint64_t key, const syncline_label* labels,
                size_t count);

}  // namespace syncline::program
