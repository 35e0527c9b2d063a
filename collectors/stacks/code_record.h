// SPDX-License-Identifier: Apache-2.0
// The bytes of a kCode record: copied while the code lives, so that nothing of it is read later.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/stacks/python_state.h"

namespace syncline::stacks {

// Longer ones are cut. Of a line table that is cut the instructions behind have no lines.
inline constexpr size_t kMostFileBytes = 4096;
inline constexpr size_t kMostNameBytes = 1024;
inline constexpr size_t kMostTableBytes = size_t{56} << 10;
inline constexpr size_t kMostCodeBytes = size_t{64} << 10;

// Writes to `out`, which has room for kMostCodeBytes. Returns the length; 0: the object is not as
// expected. `*first_line`: of the code. On a thread that has the code in a frame.
size_t WriteCode(const Python& python, const char* code, char* out, uint32_t* first_line);

// A str as UTF-8, cut before `room`. False: it is no str, or of a kind that no longer exists.
bool CopyStr(const Python& python, const char* str, char* out, size_t room, size_t* length);

}  // namespace syncline::stacks
