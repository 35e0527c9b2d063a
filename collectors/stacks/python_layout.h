// SPDX-License-Identifier: Apache-2.0
// Where CPython keeps what a stack is made of, version by version.
#pragma once

#include <cstdint>

namespace syncline::stacks {

// Byte offsets in CPython's structs; of builds with a GIL for 64-bit machines. A thread's own
// frames change by that thread alone, so in a hook of that thread they may be read without the GIL.
struct PythonLayout {
  uint16_t python;  // 0x30b: 3.11
  // PyThreadState
  int16_t state_frame;   // the innermost frame, or the _PyCFrame that tells it
  int16_t cframe_frame;  // in the _PyCFrame; kNone: there is none
  int16_t state_thread;  // pthread_self() of the thread
  // PyFrameObject, from 3.11 on _PyInterpreterFrame
  int16_t frame_previous;
  int16_t frame_code;
  int16_t frame_position;  // an int: instructions; from 3.11 on a pointer into the code
  int16_t frame_owner;     // kNone: every frame is one of Python's
  int16_t frame_entry;  // a bool: C called it; kNone: all are, or a frame of C's before it says so
  // PyCodeObject. The other offsets are told by the type itself.
  int16_t code_begin;  // of the instructions, which is the type's basic size; kNone: elsewhere
  // str: of the characters
  int16_t str_ascii;
  int16_t str_other;
  uint8_t bytes_per_position;  // of the int
};
inline constexpr int16_t kNone = -1;

// Read off the headers of each version (Include/cpython/code.h, pystate.h, unicodeobject.h and
// Include/internal/pycore_frame.h, before 3.11 Include/cpython/frameobject.h), whose structs do not
// change after a version's first release. In the order of the struct's members.
inline constexpr PythonLayout kPythonLayouts[] = {
    {0x308, 24, kNone, 176, 24, 32, 104, kNone, kNone, kNone, 48, 72, 1},
    {0x309, 24, kNone, 176, 24, 32, 104, kNone, kNone, kNone, 48, 72, 1},
    {0x30a, 24, kNone, 176, 24, 32, 96, kNone, kNone, kNone, 48, 72, 2},
    {0x30b, 56, 8, 152, 48, 32, 56, kNone, 68, 184, 48, 72, 0},
    {0x30c, 56, 0, 136, 8, 0, 56, 70, kNone, 192, 40, 56, 0},
    {0x30d, 72, kNone, 152, 8, 0, 56, 70, kNone, 200, 40, 56, 0},
};

// Null: a version that is not known.
constexpr const PythonLayout* LayoutOfPython(uint16_t python) {
  for (const PythonLayout& layout : kPythonLayouts) {
    if (layout.python == python) return &layout;
  }
  return nullptr;
}

}  // namespace syncline::stacks
