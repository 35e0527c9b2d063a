// SPDX-License-Identifier: Apache-2.0
// The engine's clock, and sleeping until one of its times.
#pragma once

#include <cstdint>

namespace simgpu {

// CLOCK_MONOTONIC in nanoseconds.
uint64_t Now();

// Returns at or after `ns`. Sleeps; the thread's timer slack is made small for the time of the
// sleep, so that no spinning is needed to be woken within some microseconds.
void SleepUntil(uint64_t ns);

}  // namespace simgpu
