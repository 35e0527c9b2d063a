// SPDX-License-Identifier: Apache-2.0
// The collector's thread: reads finished work and the devices' clocks. And the process's end.
#pragma once

#include <cstdint>

namespace syncline::level_zero {

// Where the program makes a queue.
void EnsureHelper();

// For kCollector_level_zero.
void Flush(uint64_t until_ns);
// In a fork's child: what the parent gave to devices is not the child's.
void ForgetParent();

}  // namespace syncline::level_zero
