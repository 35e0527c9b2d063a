// SPDX-License-Identifier: Apache-2.0
// Calls of a method, as the collector is told of them that asks (inject/core/watched_method.h).
#pragma once

#include <cstdint>

#include "collectors/python/chosen.h"
#include "inject/core/watched_method.h"

namespace syncline::python {

// Once, with the GIL, after PrepareAttributes. Where objects of this version cannot be asked, a
// line says so, and nobody is told of calls.
void PrepareMethodCalls();

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
inline void TellBegin(const Chosen& function, const void* self) {
  if (function.told != nullptr && self != nullptr && g_objects_are_known)
    function.told->begins(kObjects, self);
}

// Nothing of Python's is called: an exception may be set.
inline void TellEnd(const Chosen& function, const void* self) {
  if (function.told != nullptr && self != nullptr) function.told->ends(self);
}

}  // namespace syncline::python
