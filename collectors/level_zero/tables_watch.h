// SPDX-License-Identifier: Apache-2.0
// Whether the program's calls still come to us: newer loaders have a second set of tables, which a
// tool in the program may switch to while it runs (zelEnableTracingLayer).
#pragma once

#include <cstdint>

namespace syncline::level_zero {

// zeDriverGetExtensionFunctionAddress of the loader whose tables we are in; in the program's
// zeInit.
using AskForAddress = uint32_t (*)(void* driver, const char* name, void** address);
void KeepQuestion(AskForAddress ask);

// By the helper, before each work, and at the end: a call through the loader, for which our
// function answers itself. False: it did not come to us. Then the trace says that nothing is
// recorded from the last time on at which one did, no event is touched any more (g_books_are_old),
// and the loader is not asked again: its tracers would hear of it.
bool WatchTables();

// Whether a question for a function's address is that call; it is answered then.
bool IsOurQuestion(const char* name);

}  // namespace syncline::level_zero
