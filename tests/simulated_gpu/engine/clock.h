// SPDX-License-Identifier: Apache-2.0
// The engine's clock, and waiting until one of its times.
#pragma once

#include <cstdint>

namespace simgpu {

// CLOCK_MONOTONIC in nanoseconds.
uint64_t Now();

// Returns at or after `ns`. Sleeps; the thread's timer slack is made small for the time of the
// sleep, so that no spinning is needed to be woken within some microseconds.
void SleepUntil(uint64_t ns);

// What a waiting thread does with its processor.
enum class Waiting : uint8_t { kSpins, kYields, kBlocks };

// A thread that does not block sleeps to this long before the end, and then keeps its processor:
// its caches are warm when it goes on, and it goes on within a microsecond. A whole wait would take
// the processor from threads that a machine with a GPU has processors for.
inline constexpr uint64_t kSpinNs = 50'000;

// Returns at or after `ns`.
void WaitUntil(uint64_t ns, Waiting waiting);

}  // namespace simgpu
