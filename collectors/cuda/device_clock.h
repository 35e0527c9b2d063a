// SPDX-License-Identifier: Apache-2.0
// Ties CUPTI's clock to ours.
#pragma once

#include "collectors/cuda/cupti_library.h"

namespace syncline::cuda {

void UseDeviceClock(const Cupti& cupti);

// Nanoseconds of CUPTI's clock; 0: unknown. Any thread.
uint64_t DeviceNow();

// Writes a DeviceClockRecord into this thread's ring. Any thread; about 0.3 us. CUPTI's clock is
// CLOCK_REALTIME, which may be set during the run: the more readings, the better it is known when.
void RecordDeviceClock();

}  // namespace syncline::cuda
