// SPDX-License-Identifier: Apache-2.0
// Code objects that were judged, for as long as each of them lives.
#pragma once

#include "collectors/python/chosen.h"
#include "collectors/python/objects.h"
#include "collectors/python/watched_code.h"

namespace syncline::python {

// Under the GIL.
inline WatchedCodes g_watched;

// Until the code ends: it is not kept alive, and other code may have its address afterwards.
// `function`: null of code that is none of a chosen function. Takes the place of what was known of
// the code. False: it cannot be, which leaves no exception.
bool Remember(Object* code, const Chosen* function);

}  // namespace syncline::python
