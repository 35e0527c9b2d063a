// SPDX-License-Identifier: Apache-2.0
// Calls of coroutines and asynchronous generators: a start/end range each, from the first
// instruction across all awaits to the end.
#pragma once

#include "collectors/python/call_details.h"

namespace syncline::python {

// Known by the frame, which is a part of the coroutine and stays where it is until the coroutine
// ends; nothing of Python's is kept alive. Under the GIL.

// The coroutine begins to run for the first time. One of before that had this frame and was not
// seen to end is ended now.
// `details`: null: there are none. Whether it is recorded.
bool BeginCall(const Chosen& function, const void* frame, const CallDetails* details);
// It has returned, an exception has left it, or it was closed. One that was not begun: nothing
// happens.
void EndCall(const Chosen& function, const void* frame, const CallDetails* details);

// The labels of the open call of that frame, for the range of a stretch of it.
struct LabelWords {
  const uint64_t* words;
  size_t count;  // 0: it has none
};
LabelWords LabelsOfCall(const void* frame);

// In a fork's child: nothing is open.
void ForgetCalls();

}  // namespace syncline::python
