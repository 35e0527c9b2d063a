// SPDX-License-Identifier: Apache-2.0
// Records calls of chosen functions as ranges of the domain "py", on the thread that makes them.
#pragma once

#include "collectors/python/chosen.h"

namespace syncline::python {

// The function is entered or resumed; it is left, or waits. On its thread; no lock, no heap,
// nothing of Python's is called. A leave without an enter is ignored: the function was entered in a
// fork's parent, or before it was watched.
void Enter(const Chosen& function);
void Leave(const Chosen& function);

// The same of a range that says more: words of value_words.h. Whether it was recorded.
bool EnterWith(const Chosen& function, const uint64_t* words, size_t count);
void LeaveWith(const Chosen& function, const uint64_t* words, size_t count);

}  // namespace syncline::python
