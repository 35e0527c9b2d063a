// SPDX-License-Identifier: Apache-2.0
// The frame that a thread runs now, read without a call of Python's that would make an object of
// it.
#pragma once

#include <cstdint>

namespace syncline::python {

// Once, with the GIL.
void PrepareFrames(uint32_t version);
// False: this Python's frames are not known. Nothing below is called then.
bool AreFramesKnown();

// The innermost frame of the calling thread; null: it runs other code.
const void* FrameOfThread(const void* code);
// The first of its locals, which are objects; null: it has no value.
const void* FirstLocalOf(const void* frame);

}  // namespace syncline::python
