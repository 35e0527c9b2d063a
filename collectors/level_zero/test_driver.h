// SPDX-License-Identifier: Apache-2.0
// A driver for unit tests: events are signaled, and its clock goes, when the test says so.
#pragma once

#include <cstdint>

#include "collectors/level_zero/api.h"

namespace syncline::level_zero::test {

inline constexpr uint64_t kHertz = 19'200'000;
inline constexpr uint32_t kStampBits = 32;

// Points g_api at it; events made before are forgotten.
void UseTestDriver();

ze_device_handle_t NewDevice();
// The count of all devices' clocks now, of 64 bits.
uint64_t TicksNow();
// What the clock is ahead of its own rate, from now on.
void SetClockAhead(uint64_t ticks);

ze_event_handle_t NewEvent();
// With the low bits of these counts as its time stamps.
void Signal(ze_event_handle_t event, uint64_t begin, uint64_t end);
bool IsSignaled(ze_event_handle_t event);

uint64_t EventsAlive();

}  // namespace syncline::level_zero::test
