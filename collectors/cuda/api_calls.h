// SPDX-License-Identifier: Apache-2.0
// Records the CUDA calls of the program: the callback that CUPTI makes at each call's begin and
// end.
#pragma once

#include "collectors/cuda/cupti_library.h"

namespace syncline::cuda {

// Whether calls inside calls (the driver's under the runtime's) are recorded too: `--cuda-api
// full`. Asks for a callback for each call that is to be recorded. Once a subscription, before any
// callback of it. Returns for how many calls it did.
int WatchCalls(const Cupti& cupti, CUpti_SubscriberHandle subscriber, bool full);

// Asks to be told of nodes of graphs: a call that makes one while it is under way is captured.
// Before WatchCalls. False: it cannot be told.
bool WatchNodes(const Cupti& cupti, CUpti_SubscriberHandle subscriber);

// For cuptiSubscribe. On the program's threads, inside its calls: no lock, no heap, no CUDA.
void CUPTIAPI OnCall(void* unused, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                     const void* data);

}  // namespace syncline::cuda
