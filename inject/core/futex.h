// SPDX-License-Identifier: Apache-2.0
// Waiting for a word of this process's own memory to change, without polling.
#pragma once

#include <linux/futex.h>

#include <cerrno>
#include <climits>
#include <ctime>

#include "inject/core/sys.h"

namespace syncline {

// Who waits for another thread that has a moment's work counts waits of this length, and asks no
// clock: a machine or a process that stood still meanwhile has lost one wait, and neither thread.
// Not shorter, for thousands may wait.
inline constexpr uint64_t kOneWaitNs = 250'000'000;

// Sleeps while the 32-bit word has this value, at most `ns`; may return early. False: the time is
// over, or no system call of this kind is allowed. Signal-safe.
inline bool WaitWhile(const void* word, uint32_t value, uint64_t ns) {
  const timespec time = {static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
  const long result =
      SysCall(SYS_futex, AsLong(word), FUTEX_WAIT_PRIVATE, static_cast<long>(value), AsLong(&time));
  return result == 0 || result == -EAGAIN || result == -EINTR;
}

// Waits of kOneWaitNs, of which so many may go by in vain. Who is woken without need each time (by
// signals, or by thousands that wait for the same) does not wait for ever either.
class CountedWaits {
 public:
  explicit CountedWaits(int most) : most_(most) {}
  // Once, while the word has this value. False: that was the last time.
  bool Wait(const void* word, uint32_t value) {
    if (!WaitWhile(word, value, kOneWaitNs)) ++in_vain_;
    return in_vain_ < most_ && ++turns_ < kMostTurns;
  }
  int in_vain() const { return in_vain_; }

 private:
  static constexpr int kMostTurns = 4096;
  const int most_;
  int in_vain_ = 0;
  int turns_ = 0;
};

// Wakes threads that wait for the word, at most so many. The word was changed before.
inline void Wake(const void* word, int most) {
  SysCall(SYS_futex, AsLong(word), FUTEX_WAKE_PRIVATE, most);
}
inline void WakeAll(const void* word) { Wake(word, INT_MAX); }

}  // namespace syncline
