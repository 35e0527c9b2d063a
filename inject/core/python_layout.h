// SPDX-License-Identifier: Apache-2.0
// Where CPython keeps frames, code and text, version by version.
#pragma once

#include <cstdint>
#include <cstring>

namespace syncline {

// Byte offsets in CPython's structs; of builds with a GIL for 64-bit machines. A thread's own
// frames change by that thread alone, so in a hook of that thread they may be read without the GIL.
struct PythonLayout {
  uint16_t python;  // 0x30b: 3.11
  // PyThreadState
  int16_t state_frame;   // the innermost frame, or the _PyCFrame that tells it
  int16_t cframe_frame;  // in the _PyCFrame; kNoOffset: there is none
  int16_t state_thread;  // pthread_self() of the thread
  // PyFrameObject, from 3.11 on _PyInterpreterFrame
  int16_t frame_previous;
  int16_t frame_code;
  int16_t frame_globals;
  int16_t frame_position;  // an int: instructions; from 3.11 on a pointer into the code
  int16_t frame_owner;
  int16_t frame_entry;   // a bool: C called it
  int16_t frame_locals;  // the first local
  // PyCodeObject. Of versions whose frames we evaluate (PEP 523); other readers ask the type.
  int16_t code_name;
  int16_t code_file;
  int16_t code_first_line;
  int16_t code_flags;
  int16_t code_begin;  // of the instructions, which is the type's basic size; kNoOffset: elsewhere
  // str: of the characters
  int16_t str_ascii;
  int16_t str_other;
  uint8_t bytes_per_position;  // of the int

  // Frames of calls from C stand in the chain, too.
  constexpr bool shows_c() const { return python >= 0x30c; }
};
inline constexpr int16_t kNoOffset = -1;  // there is none, or nobody asks

// Read off the headers of each version (Include/cpython/code.h, pystate.h, unicodeobject.h and
// Include/internal/pycore_frame.h, before 3.11 Include/cpython/frameobject.h), whose structs do not
// change after a version's first release. In the order of the struct's members.
// clang-format off
inline constexpr PythonLayout kPythonLayouts[] = {
    {0x308, 24, -1, 176, 24, 32, 48, 104, -1, -1, 360, 112, 104, 40, 36,  -1, 48, 72, 1},
    {0x309, 24, -1, 176, 24, 32, 48, 104, -1, -1, 360, 112, 104, 40, 36,  -1, 48, 72, 1},
    {0x30a, 24, -1, 176, 24, 32, 48,  96, -1, -1, 352, 112, 104, 40, 36,  -1, 48, 72, 2},
    {0x30b, 56,  8, 152, 48, 32,  8,  56, 69, 68,  72, 120, 112, 72, 48, 184, 48, 72, 0},
    {0x30c, 56,  0, 136,  8,  0, -1,  56, 70, -1,  72,  -1,  -1, -1, -1, 192, 40, 56, 0},
    {0x30d, 72, -1, 152,  8,  0, -1,  56, 70, -1,  72,  -1,  -1, -1, -1, 200, 40, 56, 0},
};
// clang-format on

// Null: a version that is not known.
constexpr const PythonLayout* LayoutOfPython(uint32_t python) {
  for (const PythonLayout& layout : kPythonLayouts) {
    if (layout.python == python) return &layout;
  }
  return nullptr;
}

// Of every Python object of a build with a GIL.
inline constexpr int64_t kTypeOffset = 8;
inline constexpr int64_t kSizeOffset = 16;       // of objects of variable size
inline constexpr int64_t kBytesTextOffset = 32;  // of bytes

// In PyTypeObject (Include/cpython/object.h), the same in all versions.
inline constexpr int64_t kBasicSizeOffset = 32;
inline constexpr int64_t kMembersOffset = 240;
// PyMemberDef, of which that is an array: name, type, offset.
inline constexpr int64_t kMemberBytes = 40;
inline constexpr int64_t kMemberPlaceOffset = 16;
inline constexpr int kMostMembers = 64;
// What of a code object is found by its members, as the versions call them.
struct CodeMembers {
  const char* file;
  const char* name;  // qualified from 3.11 on
  const char* first_line;
  const char* table;  // of lines
};
constexpr CodeMembers MembersOfCode(uint16_t python) {
  return {"co_filename", python >= 0x30b ? "co_qualname" : "co_name", "co_firstlineno",
          python >= 0x30a ? "co_linetable" : "co_lnotab"};
}

// _Py_DebugOffsets, with which _PyRuntime begins from 3.13 on.
inline constexpr char kDebugCookie[] = "xdebugpy";
inline constexpr int64_t kFreeThreadedOffset = 16;
inline constexpr int64_t kDictOffset = 264;

// The compiler is told nothing of types: the memory is another program's.
template <typename T>
inline T ReadAt(const void* object, int64_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(object) + offset, sizeof(T));
  return value;
}

}  // namespace syncline
