// SPDX-License-Identifier: Apache-2.0
// Threads of ours in a traced process, none of which keeps the process alive.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace syncline {

// Starts a detached thread with all signals blocked, a stack of `stack_bytes`, and below it
// `guard_bytes` that stay locked; `run` begins with an OwnThread. False: no memory or no thread
// to be had (ulimit -v, -u).
bool StartOwnThread(void* (*run)(void*), void* argument, size_t stack_bytes, size_t guard_bytes);

// Around all that a thread runs which the program would not have without us: the process ends with
// the program's last thread, as it would alone, also where `main` left by pthread_exit.
class UncountedThread {
 public:
  UncountedThread();
  ~UncountedThread();
  UncountedThread(const UncountedThread&) = delete;
  UncountedThread& operator=(const UncountedThread&) = delete;
};

// The first thing in what StartOwnThread was given. Gives back what a program that called
// mlockall(MCL_FUTURE) would pay for the thread's stack, which has at least `stack_bytes`.
class OwnThread {
 public:
  explicit OwnThread(size_t stack_bytes);
  ~OwnThread();
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;

 private:
  UncountedThread uncounted_;
};

// glibc before 2.34 does not show how many threads it counts, and a thread of ours may be taken out
// of the count after the program's last one has ended. Then a thread of ours has to look so often
// whether only such threads are left, and ends the process as glibc would. Never beside another
// `exit`, which would cut off the program's handlers.
inline constexpr uint64_t kLookForEndEveryNs = 100'000'000;
bool MustLookForEnd();
void EndProcessIfLast();

// In a fork's child: the parent's threads are not there.
void ForgetOwnThreads();

// For tests: as in glibc before 2.34. Before the first thread of ours.
inline std::atomic<bool> g_hides_thread_count{false};

}  // namespace syncline
