// SPDX-License-Identifier: Apache-2.0
// Calls of chosen functions as they are entered and left: ranges, and what the collector is told
// that asks for calls of a method (inject/core/watched_method.h).
#pragma once

#include <cstdint>

#include "collectors/python/ranges.h"
#include "inject/core/watched_method.h"

namespace syncline::python {

// Once, with the GIL. Where objects of this version cannot be asked, a line says so, and nobody is
// told of calls.
void PrepareMethodCalls(uint32_t version);

// Asks objects without running code of theirs; what it needs was found by PrepareMethodCalls.
extern const PythonObjects kObjects;
inline bool g_objects_are_known;

// The first local of the thread's innermost frame, which runs `code`; null: it is not found, or
// nobody wants to be told.
const void* FirstLocalOfThread(const void* code);

inline const void* SelfOfThread(const Chosen& function, const void* code) {
  return __builtin_expect(function.told == nullptr, 1) ? nullptr : FirstLocalOfThread(code);
}

// `self`: the first local of its frame, null: it has none that is known.
inline void EnterCall(const Chosen& function, const void* self) {
  if (function.is_range) Enter(function);
  if (function.told != nullptr && self != nullptr && g_objects_are_known)
    function.told->begins(kObjects, self);
}

// Nothing of Python's is called: an exception may be set.
inline void LeaveCall(const Chosen& function, const void* self) {
  if (function.told != nullptr && self != nullptr) function.told->ends(self);
  if (function.is_range) Leave(function);
}

}  // namespace syncline::python
