// SPDX-License-Identifier: Apache-2.0
// Whether the program's calls still come to us: loaders of API 1.9 and newer have a second set of
// tables, which a tool in the program may switch to (zelEnableTracingLayer).
#pragma once

namespace syncline::level_zero {

// By the helper, now and then: a call through the loader, for which our function answers itself.
// Where it does not come to us, the trace says that nothing is recorded until it does again.
void WatchTables();

// Whether a program's question for a function's address is that call; it is answered then.
bool IsOurQuestion(const char* name);

}  // namespace syncline::level_zero
