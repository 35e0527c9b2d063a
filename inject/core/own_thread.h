// SPDX-License-Identifier: Apache-2.0
// Threads of ours in a traced process.
#pragma once

#include <cstddef>

namespace syncline {

// Starts a detached thread with all signals blocked and a stack of `stack_bytes` that mlockall does
// not lock. False: no memory or no thread to be had (ulimit -v, -u). The stack is never unmapped.
bool StartOwnThread(void* (*run)(void*), void* argument, size_t stack_bytes);

}  // namespace syncline
