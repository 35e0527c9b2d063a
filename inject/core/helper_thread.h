// SPDX-License-Identifier: Apache-2.0
// The one helper thread that a collector may have, and how others talk with it: futex words, no
// lock.
#pragma once

#include <cstdint>

#include "inject/core/source.h"

namespace syncline {

// What a visit answers in place of the nanoseconds until the next one.
inline constexpr uint64_t kNeverAgain = 0;                 // the thread ends
inline constexpr uint64_t kAtTheBell = uint64_t{1} << 62;  // nothing is to be done before it rings

// Starts the collector's thread: all signals blocked, named `name` (at most 15 bytes). It calls
// `visit` at once, after each bell, and when the time is over that the last visit answered. It ends
// when that is kNeverAgain, or at exit; it does not keep the process alive. Only when the vendor's
// library is armed: a process that does not use it gets no thread. False: it could not be started,
// or the collector has one.
bool StartHelper(Source source, const char* name, uint64_t (*visit)());

// Has the collector's thread visit now. Any thread.
void WakeHelper(Source source);

// Whether there is somebody to hear the bell.
bool HelperRuns(Source source);

// At exit, when all collectors have flushed: no thread begins another visit.
void EndHelpers();

// In a fork's child: the threads are not there.
void ForgetHelpers();

}  // namespace syncline
