// SPDX-License-Identifier: Apache-2.0
// The characters of a str.
#pragma once

#include <cstdint>

#include "collectors/stacks/python_state.h"

namespace syncline::stacks {

struct StrText {
  const char* text;
  uint64_t count;
  unsigned width;  // bytes of a character: 1, 2, 4
};

// PyASCIIObject (Include/cpython/unicodeobject.h). False: it is no str, or of a kind that no longer
// exists.
inline bool TextOf(const PythonLayout& layout, const void* str_type, const char* str,
                   StrText* out) {
  constexpr int64_t kLengthOffset = 16;
  constexpr int64_t kStateOffset = 32;
  if (str == nullptr || TypeOf(str) != str_type) return false;
  const auto state = ReadAt<uint32_t>(str, kStateOffset);
  const unsigned width = state >> 2 & 7;
  const bool compact = (state >> 5 & 1) != 0;
  const bool ascii = (state >> 6 & 1) != 0;
  if (!compact || (width != 1 && width != 2 && width != 4)) return false;
  *out = {str + (ascii ? layout.str_ascii : layout.str_other), ReadAt<uint64_t>(str, kLengthOffset),
          width};
  return true;
}

}  // namespace syncline::stacks
