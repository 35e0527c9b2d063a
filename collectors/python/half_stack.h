// SPDX-License-Identifier: Apache-2.0
// How much of its stack a thread has used. Python 3.11 calls functions of Python's without C's
// stack, but not through a function of ours: a deep recursion could not end as it does without us.
#pragma once

#include <cstdint>

namespace syncline::python {

// Before the other one. Under the GIL; asks the loader.
void PrepareHalfStack();

// Whether the calling thread has used more than half; where its stack is not known, 2 MiB from
// where this was asked first. `state`: a number that no other thread of the process has had
// (PyThreadState_GetID); the C library's may be given again, with a smaller stack. Under the GIL.
bool IsHalfUsed(uint64_t state);

}  // namespace syncline::python
