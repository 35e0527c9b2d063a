// SPDX-License-Identifier: Apache-2.0
// The one helper thread that a collector may have, and how others talk with it: futex words, no
// lock.
#pragma once

#include "inject/core/source.h"

namespace syncline {

// Starts the collector's thread: all signals blocked, named `name` (at most 15 bytes). It calls
// `visit` at once, each second and after each bell, and ends when that returns false, or at exit.
// Only when the vendor's library is armed: a process that does not use it gets no thread. False: it
// could not be started, or the collector has one.
bool StartHelper(Source source, const char* name, bool (*visit)());

// Has the collector's thread visit now. Any thread.
void WakeHelper(Source source);

// Whether there is somebody to hear the bell.
bool HelperRuns(Source source);

// At exit, when all collectors have flushed: no thread begins another visit.
void EndHelpers();

// In a fork's child: the threads are not there.
void ForgetHelpers();

}  // namespace syncline
