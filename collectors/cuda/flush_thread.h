// SPDX-License-Identifier: Apache-2.0
// The collector's one helper thread: every second it asks CUPTI for what is finished, so that a
// process that is killed loses two seconds of device records at most.
#pragma once

#include "collectors/cuda/cupti_library.h"

namespace syncline::cuda {

// Starts the thread: all signals blocked, named `syncline-cuda`. False: it could not be started.
bool StartFlushing(const Cupti& cupti);

// Has the thread flush once more and end, and waits for it, at most a second. CUPTI's flush may
// hang, and never synchronises the device. Any thread; only the first call does something.
void FlushForTheLastTime();

// In a fork's child: the thread is not there.
void ForgetFlushing();

}  // namespace syncline::cuda
