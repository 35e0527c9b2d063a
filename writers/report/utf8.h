// SPDX-License-Identifier: Apache-2.0
// Characters of a text that may be any bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace syncline {

inline constexpr char32_t kInvalidCharacter = 0xffffffff;

// The first character of `text`, which is not empty, and its length; kInvalidCharacter and a length
// of 1 where no valid one begins.
char32_t NextCharacter(std::string_view text, size_t* bytes);

}  // namespace syncline
