// SPDX-License-Identifier: Apache-2.0
// Keeps early releases of CPython 3.11 from entering chosen functions past the function that
// evaluates frames.
#pragma once

#include "collectors/python/objects.h"

namespace syncline::python {

inline constexpr uint32_t kWithVersions = 0x30b;  // the one whose functions are written to

// `object[key]` that has met the same class a few times enters a `__getitem__` in Python by itself.
// It does so only for functions whose version fits into 16 bits, so a chosen function gets one that
// does not, as if the program had that many functions. Under the GIL, also with an exception set.
// 3.11 only; a function that has such a version keeps it. What is no function of this code is left.
void GiveLargeVersion(Object* function, const Object* code);

// The same of the function that a class's body put where `object[key]` looks, before anybody calls
// it. `names`: what the body made; null: nothing. No exception set; leaves none.
void GiveLargeVersionInClass(Object* names);

}  // namespace syncline::python
