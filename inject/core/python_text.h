// SPDX-License-Identifier: Apache-2.0
// The characters of CPython's str, and how they become UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/core/python_layout.h"

namespace syncline {

// In PyASCIIObject (Include/cpython/unicodeobject.h).
inline constexpr int64_t kStrLengthOffset = 16;
inline constexpr int64_t kStrStateOffset = 32;

// What its state says of where the characters lie.
struct StrState {
  unsigned width;  // bytes of a character: 1, 2, 4; 0: of a kind that no longer exists
  bool is_ascii;
};
inline StrState StateOfStr(uint32_t state) {
  const unsigned width = state >> 2 & 7;
  const bool is_compact = (state >> 5 & 1) != 0;
  return {is_compact && (width == 1 || width == 2 || width == 4) ? width : 0,
          (state >> 6 & 1) != 0};
}
inline int64_t TextOffsetOf(const PythonLayout& layout, StrState state) {
  return state.is_ascii ? layout.str_ascii : layout.str_other;
}

inline uint32_t CharacterAt(const char* text, uint64_t index, unsigned width) {
  if (width == 1) return ReadAt<uint8_t>(text, static_cast<int64_t>(index));
  if (width == 2) return ReadAt<uint16_t>(text, static_cast<int64_t>(index * 2));
  return ReadAt<uint32_t>(text, static_cast<int64_t>(index * 4));
}

inline constexpr size_t kLongestUtf8 = 4;

// How many bytes it has written. What is no character is three or four bytes, too.
inline size_t PutUtf8(uint32_t c, char* out) {
  if (c < 0x80) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  const size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static constexpr uint8_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
  out[0] = static_cast<char>(kLead[more] | c >> (6 * more));
  for (size_t i = 1; i <= more; ++i)
    out[i] = static_cast<char>(0x80 | (c >> (6 * (more - i)) & 0x3f));
  return more + 1;
}

}  // namespace syncline
