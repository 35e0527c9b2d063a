// SPDX-License-Identifier: Apache-2.0
// Overlong forms, surrogates and numbers beyond U+10FFFF are invalid.
#include "writers/report/utf8.h"

namespace syncline {

char32_t NextCharacter(std::string_view text, size_t* bytes) {
  *bytes = 1;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return first;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return kInvalidCharacter;
  char32_t character = first & (0xff >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return kInvalidCharacter;
    character = (character << 6) | (next & 0x3f);
  }
  static constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (character < kLeast[length] || character > 0x10ffff ||
      (character >= 0xd800 && character <= 0xdfff))
    return kInvalidCharacter;
  *bytes = length;
  return character;
}

}  // namespace syncline
