// SPDX-License-Identifier: Apache-2.0
// Records beside calls and work: what a call waited for, what an event stands for, memory.
#pragma once

#include "collectors/level_zero/objects.h"

namespace syncline::level_zero {

// The call of this correlation, which began to wait at `begin` (SharedNow), has returned.
void TellWaitFor(const Queue& queue, uint32_t correlation, uint64_t begin);
void TellWaitFor(const Device& device, uint32_t correlation, uint64_t begin);
void TellWaitFor(const Signal& signal, uint32_t correlation, uint64_t begin);

// From this call on it is signaled when all that is in the queue now is done.
void TellSignal(Signal* signal, uint32_t correlation, const Queue& queue);

// Work that comes into the queue from now on is behind the signal.
void TellQueueWaits(const Signal& signal, uint32_t correlation, const Queue& queue);

void TellQueue(const Queue& queue, const void* handle);
void TellAllocation(uint32_t correlation, const void* address, const Allocation& memory,
                    bool taken);

// The thread was in a build of a module.
void TellBuild(uint32_t correlation, uint64_t begin);

}  // namespace syncline::level_zero
