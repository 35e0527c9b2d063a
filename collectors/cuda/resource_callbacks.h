// SPDX-License-Identifier: Apache-2.0
// Tells which handles CUPTI's numbers of streams and contexts stand for: programs name handles.
#pragma once

#include "collectors/cuda/cupti_library.h"

namespace syncline::cuda {

// A CUPTI that cannot tell leaves the names to the trace's list of resources.
void WatchResources(const Cupti& cupti, CUpti_SubscriberHandle subscriber);

// CUPTI's callback for its resource domain, on the program's threads.
void OnResourceCreated(CUpti_CallbackId id, const CUpti_ResourceData& object);

}  // namespace syncline::cuda
