// SPDX-License-Identifier: Apache-2.0
// Where CPython keeps its threads and its lock, version by version: what a reader outside of the
// process needs beside inject/core/python_layout.h.
#pragma once

#include <cstdint>

#include "inject/core/python_layout.h"

namespace syncline {

// Byte offsets, of builds with a GIL for 64-bit machines.
struct RemoteLayout {
  uint16_t python;
  int16_t runtime_interpreters;  // in _PyRuntimeState: the first interpreter
  int16_t interpreter_next;
  int16_t interpreter_threads;  // the first thread
  int16_t thread_next;
  int16_t thread_number;  // the kernel's; kNoOffset: pthread's memory tells
  int16_t gil;            // struct _gil_runtime_state, in the runtime
  bool has_own_gil;       // then: a pointer to it, in the interpreter
};

// Read off Include/internal/pycore_runtime.h, pycore_interp.h, pycore_pystate.h, pycore_gil.h with
// the compiler. In the order of the struct's members.
inline constexpr RemoteLayout kRemoteLayouts[] = {
    {0x308, 32, 0, 8, 8, kNoOffset, 1152, false}, {0x309, 32, 0, 8, 8, kNoOffset, 352, false},
    {0x30a, 32, 0, 8, 8, kNoOffset, 352, false},  {0x30b, 40, 0, 16, 8, 160, 360, false},
    {0x30c, 40, 0, 72, 8, 144, 384, true},        {0x30d, 632, 7264, 7344, 8, 160, 16, true},
};

// Null: a version that is not known.
constexpr const RemoteLayout* RemoteLayoutOf(uint16_t python) {
  for (const RemoteLayout& layout : kRemoteLayouts) {
    if (layout.python == python) return &layout;
  }
  return nullptr;
}

// In struct _gil_runtime_state, the same in all of them.
inline constexpr int64_t kGilHolderOffset = 8;   // a thread state, also of one that had it last
inline constexpr int64_t kGilLockedOffset = 16;  // an int
inline constexpr uint64_t kGilBytes = 208;       // with the condition that waiters sleep on

// The kernel's number of a thread in glibc's struct pthread, on x86-64 since glibc 2.4.
inline constexpr int64_t kPthreadNumberOffset = 720;

}  // namespace syncline
