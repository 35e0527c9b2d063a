// SPDX-License-Identifier: Apache-2.0
// UTF-8 as a terminal shows it: characters, the columns that they take, texts that fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace syncline {

inline constexpr uint32_t kNoChar = UINT32_MAX;

struct Utf8Char {
  uint32_t code = kNoChar;  // kNoChar: the byte is no UTF-8
  size_t bytes = 1;
};
// The first one of `text`, which is not empty.
Utf8Char NextChar(std::string_view text);

// Whether all of it is.
bool IsUtf8(std::string_view text);

// Neither controls a terminal nor turns the direction of writing.
bool IsHarmless(uint32_t code);

// How wide a terminal shows it: 0 for marks on the character before, 2 for East Asian ones.
size_t ColumnsOf(std::string_view text);

// Not wider than `columns`: what is left out at the end is "...".
std::string Shortened(std::string_view text, size_t columns);

}  // namespace syncline
