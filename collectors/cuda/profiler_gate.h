// SPDX-License-Identifier: Apache-2.0
// --gate cuda-profiler: the program says with cudaProfilerStart and cudaProfilerStop what is
// recorded.
#pragma once

#include "collectors/cuda/cupti_library.h"

namespace syncline::cuda {

// Asks CUPTI for the four calls, whichever calls are recorded otherwise. Nothing without that
// option.
void WatchProfiler(const Cupti& cupti, CUpti_SubscriberHandle subscriber);

bool ProfilerIsWatched();

// Recording begins when a call that starts returns, and ends when one that stops is entered: before
// the call itself is recorded, and after. Any thread.
void OnProfilerCall(CUpti_CallbackDomain api, CUpti_CallbackId id, CUpti_ApiCallbackSite site);

}  // namespace syncline::cuda
