// SPDX-License-Identifier: Apache-2.0
// The collector's one helper thread, and how others talk with it: futex words, no lock.
#pragma once

namespace syncline::cuda {

// Starts the thread: all signals blocked, named `syncline-cuda`. It calls `visit` at once, each
// second and after each bell, and ends when that returns false. False: it could not be started.
bool StartHelper(bool (*visit)());

// Has the thread visit now. Any thread.
void RingBell();

// Whether there is somebody to hear the bell.
bool HelperRuns();

// In a fork's child: the thread is not there.
void ForgetHelper();

}  // namespace syncline::cuda
