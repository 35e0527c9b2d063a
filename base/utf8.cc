// SPDX-License-Identifier: Apache-2.0
// Decoding by RFC 3629; widths by the ranges that terminals agree on.
#include "base/utf8.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace syncline {
namespace {

struct Span {
  uint32_t first;
  uint32_t last;
};

bool In(const Span* begin, const Span* end, uint32_t code) {
  return std::any_of(begin, end,
                     [code](const Span& span) { return code >= span.first && code <= span.last; });
}

// Combining marks and joiners.
constexpr Span kNoColumns[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},
                               {0x610, 0x61a},   {0x64b, 0x65f},   {0x1ab0, 0x1aff},
                               {0x1dc0, 0x1dff}, {0x200b, 0x200d}, {0x20d0, 0x20ff},
                               {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
// East Asian Wide and Fullwidth, and pictures.
constexpr Span kTwoColumns[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},
                                {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},
                                {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
                                {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
                                {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
// Controls, and marks that turn the direction of writing or break lines.
constexpr Span kHarmful[] = {{0, 0x1f},         {0x7f, 0x9f},     {0x61c, 0x61c},
                             {0x200e, 0x200f},  {0x2028, 0x202e}, {0x2066, 0x2069},
                             {kNoChar, kNoChar}};

size_t Width(uint32_t code) {
  if (code < 0x300 || code == kNoChar) return 1;
  if (In(std::begin(kNoColumns), std::end(kNoColumns), code)) return 0;
  return In(std::begin(kTwoColumns), std::end(kTwoColumns), code) ? 2 : 1;
}

// The smallest code that needs so many bytes: shorter ones must not be written longer.
constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};

}  // namespace

Utf8Char NextChar(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  uint32_t code = first & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes};
}

bool IsUtf8(std::string_view text) {
  constexpr uint64_t kNoAscii = 0x8080808080808080;
  for (uint64_t eight; !text.empty();) {
    if (text.size() >= sizeof(eight)) {
      std::memcpy(&eight, text.data(), sizeof(eight));
      if ((eight & kNoAscii) == 0) {
        text.remove_prefix(sizeof(eight));
        continue;
      }
    }
    const Utf8Char next = NextChar(text);
    if (next.code == kNoChar) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

bool IsHarmless(uint32_t code) { return !In(std::begin(kHarmful), std::end(kHarmful), code); }

size_t ColumnsOf(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const Utf8Char next = NextChar(text);
    columns += Width(next.code);
    text.remove_prefix(next.bytes);
  }
  return columns;
}

std::string Shortened(std::string_view text, size_t columns) {
  constexpr std::string_view kMore = "...";
  if (ColumnsOf(text) <= columns) return std::string(text);
  if (columns <= kMore.size()) return std::string(kMore.substr(0, columns));
  size_t bytes = 0, used = 0;
  for (;;) {
    const Utf8Char next = NextChar(text.substr(bytes));
    used += Width(next.code);
    if (used > columns - kMore.size()) break;
    bytes += next.bytes;
  }
  return std::string(text.substr(0, bytes)).append(kMore);
}

}  // namespace syncline
