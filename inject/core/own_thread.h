// SPDX-License-Identifier: Apache-2.0
// Threads of ours in a traced process.
#pragma once

#include <cstddef>

namespace syncline {

// Starts a detached thread with all signals blocked, a stack of `stack_bytes`, and below it
// `guard_bytes` that stay locked; `run` begins with UnlockOwnStack. False: no memory or no thread
// to be had (ulimit -v, -u).
bool StartOwnThread(void* (*run)(void*), void* argument, size_t stack_bytes, size_t guard_bytes);

// Gives back what a program that called mlockall(MCL_FUTURE) would pay for the calling thread's
// stack, which has at least `stack_bytes`.
void UnlockOwnStack(size_t stack_bytes);

}  // namespace syncline
