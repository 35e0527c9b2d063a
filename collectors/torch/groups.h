// SPDX-License-Identifier: Apache-2.0
// Process groups of PyTorch's: which there are, and what one says of itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/core/exported.h"

namespace syncline::torch {

// Longer names are not known: no group has one that PyTorch makes.
inline constexpr size_t kMostGroupName = 120;

struct Group {
  const char* name;  // of the group, until the program makes another one in its place
  uint32_t bytes;
  uint32_t rank;   // of this process in it
  uint32_t ranks;  // in it
};

// The program has made a group of this name. Any thread.
void NoteGroup(const void* group, const char* name, size_t bytes);

// Where a group has its numbers, found in one of our own which has no others in it. As for
// LearnInputLayout. Null: so it is; else why not.
const char* LearnGroups(const Module& library);

// Inside a callback. `object`: a c10::ivalue::Object, which an operator was called with. False: it
// is none of these groups, or not as it is known.
bool ReadGroup(const void* object, Group* out);

}  // namespace syncline::torch
