// SPDX-License-Identifier: Apache-2.0
// Ranges of record_function() that may end on another thread: what a backend does for a collective.
#pragma once

#include <string_view>

#include "inject/core/owned_ranges.h"

namespace syncline::torch {

// Begins a start/end range of `function`'s. Inside a callback, on any thread.
void BeginAsync(const void* function, std::string_view name, const OwnedDomain& domain);
// One that was not begun: nothing happens.
void EndAsync(const void* function, const OwnedDomain& domain);

// One that began on the log's thread, and ends there now. `row`: its id of start_end.h, which is
// free again.
void TellStartAndEnd(ThreadLog& log, const OpenRange& range, uint64_t end, uint64_t row);

// In a fork's child: nothing is open.
void ForgetAsync();

}  // namespace syncline::torch
