// SPDX-License-Identifier: Apache-2.0
// The frame that a thread runs now, read without a call of Python's that would make an object of
// it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncline::python {

// Once, with the GIL.
void PrepareFrames(uint32_t version);
// False: this Python's frames are not known. Nothing below is called then.
bool AreFramesKnown();

// Whether a local that a function within uses has its cell behind the locals, not in its place.
bool AreCellsApart();

// The innermost frame of the calling thread; null: it runs other code.
const void* FrameOfThread(const void* code);
// One of its locals, which are objects; null: it has no value.
const void* LocalOf(const void* frame, size_t place);

}  // namespace syncline::python
