// SPDX-License-Identifier: Apache-2.0
// Calls whose signatures are new, until they return: what goes out belongs to what went in.
#pragma once

#include "collectors/python/call_details.h"

namespace syncline::python {

inline uint32_t g_awaited_results;  // how many calls wait for one

// All below: under the GIL. Of too many the oldest is forgotten: its signature has no result.
void AwaitResult(const void* frame, const CallDetails& details);
// The details of the call, which awaits nothing any more; null: it did not. Until the next call of
// AwaitResult.
CallDetails* TakeAwaited(const void* frame);
void ForgetAwaited();

}  // namespace syncline::python
