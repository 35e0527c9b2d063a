// SPDX-License-Identifier: Apache-2.0
// The characters of a str.
#pragma once

#include <cstdint>

#include "collectors/stacks/python_state.h"
#include "inject/core/python_text.h"

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
  if (str == nullptr || TypeOf(str) != str_type) return false;
  const StrState state = StateOfStr(ReadAt<uint32_t>(str, kStrStateOffset));
  if (state.width == 0) return false;
  *out = {str + TextOffsetOf(layout, state), ReadAt<uint64_t>(str, kStrLengthOffset), state.width};
  return true;
}

}  // namespace syncline::stacks
