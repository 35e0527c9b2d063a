// SPDX-License-Identifier: Apache-2.0
// When CUPTI is asked for what is finished: ten times a second while it has a buffer of ours, else
// never. So what the GPU is done with is here soon, however the process ends, and an idle process
// is not woken. Where ten seconds brought nothing, because something lasts long or hangs, it is
// asked once a second until a call succeeds.
#pragma once

#include <cstdint>

namespace syncline::cuda {

// CUPTI gets a buffer, or gives one back. Any thread.
void BufferGoesOut();
void BufferIsBack();

// Asks CUPTI, if it is time to; `now` is of MonotonicNs. By the helper thread, whose next visit is
// to be after the answer.
uint64_t FetchFinished(uint64_t now);

}  // namespace syncline::cuda
