// SPDX-License-Identifier: Apache-2.0
// Calls of watched code as they begin, wait, go on and end.
#pragma once

#include "collectors/python/call_ranges.h"
#include "collectors/python/method_calls.h"
#include "collectors/python/ranges.h"
#include "collectors/python/watched_code.h"

namespace syncline::python {

// Of code that is awaited, or whose calls say more than their times.
void BeginDetailed(const WatchedCode& watched, const void* frame);
void ResumeDetailed(const WatchedCode& watched, const void* frame);
void EndDetailed(const WatchedCode& watched, const void* frame, Object* result);

inline bool IsDetailed(const WatchedCode& watched) {
  return watched.is_awaited || watched.parameters != nullptr;
}

// All below: on the thread of the call, under the GIL. `frame`: that runs it, null: not known;
// `self`: as of TellBegin.

inline void BeginWatched(const WatchedCode& watched, const void* frame, const void* self) {
  if (__builtin_expect(IsDetailed(watched) && frame != nullptr, 0)) {
    BeginDetailed(watched, frame);
  } else if (watched.function->is_range) {
    Enter(*watched.function);
  }
  TellBegin(*watched.function, self);
}

// Behind a wait, or where an exception is thrown in: it may be set.
inline void ResumeWatched(const WatchedCode& watched, const void* frame, const void* self) {
  if (__builtin_expect(watched.is_awaited && frame != nullptr, 0)) {
    ResumeDetailed(watched, frame);
  } else if (watched.function->is_range) {
    Enter(*watched.function);
  }
  TellBegin(*watched.function, self);
}

inline void PauseWatched(const WatchedCode& watched, const void* self) {
  TellEnd(*watched.function, self);
  if (watched.function->is_range) Leave(*watched.function);
}

// `result`: null: an exception leaves it, which may be set.
inline void EndWatched(const WatchedCode& watched, const void* frame, const void* self,
                       Object* result) {
  TellEnd(*watched.function, self);
  if (__builtin_expect(IsDetailed(watched) && frame != nullptr, 0)) {
    EndDetailed(watched, frame, result);
  } else if (watched.function->is_range) {
    Leave(*watched.function);
  }
}

}  // namespace syncline::python
