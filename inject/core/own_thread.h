// SPDX-License-Identifier: Apache-2.0
// Threads that the program would not have without us, none of which keeps the process alive: it
// ends with the program's last thread, as it would alone, also where `main` left by pthread_exit.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace syncline {

// Once, before the first of them, while the library is loaded: calls the loader, whose lock others
// may hold and wait for the thread of a hook.
void PrepareOwnThreads();

// pthread_create, for a vendor's thread. EAGAIN too where a page of memory is missing.
int CreateUncounted(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                    void* argument) noexcept;

// Starts a detached thread with all signals blocked, a stack of `stack_bytes`, and below it
// `guard_bytes` that stay locked. What a program that called mlockall(MCL_FUTURE) would pay for the
// stack is given back. False: no memory or no thread to be had (ulimit -v, -u).
bool StartOwnThread(void* (*run)(void*), void* argument, size_t stack_bytes, size_t guard_bytes);

// glibc before 2.34 does not show how many threads it counts. Then a thread of ours has to look so
// often whether only such threads are left, and ends the process as glibc would. Never beside
// another `exit`, which would cut off the program's handlers.
inline constexpr uint64_t kLookForEndEveryNs = 100'000'000;
bool MustLookForEnd();
void EndProcessIfLast();

// In a fork's child: the parent's threads are not there.
void ForgetOwnThreads();

}  // namespace syncline
