// SPDX-License-Identifier: Apache-2.0
// Waiting for a word of this process's own memory to change, without polling.
#pragma once

#include <linux/futex.h>

#include <climits>
#include <ctime>

#include "inject/core/sys.h"

namespace syncline {

// Sleeps while the 32-bit word has this value, at most `ns`; may return early. Signal-safe.
inline void WaitWhile(const void* word, uint32_t value, uint64_t ns) {
  const timespec time = {static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
  SysCall(SYS_futex, AsLong(word), FUTEX_WAIT_PRIVATE, static_cast<long>(value), AsLong(&time));
}

// Wakes threads that wait for the word, at most so many. The word was changed before.
inline void Wake(const void* word, int most) {
  SysCall(SYS_futex, AsLong(word), FUTEX_WAKE_PRIVATE, most);
}
inline void WakeAll(const void* word) { Wake(word, INT_MAX); }

}  // namespace syncline
