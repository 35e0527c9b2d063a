// SPDX-License-Identifier: Apache-2.0
// Finds the dots of a name, and leaves out what stands before one of them.
#include "writers/tables/dotted_name.h"

#include <vector>

#include "base/text.h"
#include "base/utf8.h"

namespace syncline {
namespace {

constexpr std::string_view kMore = "...";

bool IsOfName(char character) {
  const auto byte = static_cast<unsigned char>(character);
  const char lower = static_cast<char>(byte | 0x20);
  return byte >= 0x80 || (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') ||
         byte == '_' || byte == '<' || byte == '>';  // f.<locals>.g
}

size_t QuoteOf(std::string_view text) { return text.starts_with('`') ? 1 : 0; }

// Where its dots are; empty: it is no such name.
std::vector<size_t> DotsOf(std::string_view text) {
  std::vector<size_t> dots;
  size_t at = QuoteOf(text);
  for (; at < text.size() && (IsOfName(text[at]) || text[at] == '.'); ++at) {
    if (text[at] == '.') dots.push_back(at);
  }
  const bool ends = at == text.size() || text[at] == ' ' || text[at] == '`';
  return ends ? dots : std::vector<size_t>();
}

std::string From(std::string_view text, size_t dot) {
  return Text(text.substr(0, QuoteOf(text)), kMore, text.substr(dot + 1));
}

}  // namespace

std::string ShortenedName(std::string_view text, size_t columns) {
  if (ColumnsOf(text) <= columns) return std::string(text);
  for (const size_t dot : DotsOf(text)) {
    std::string end = From(text, dot);
    if (ColumnsOf(end) <= columns) return end;
  }
  return Shortened(text, columns);
}

size_t LeastColumnsOf(std::string_view text) {
  const std::vector<size_t> dots = DotsOf(text);
  return ColumnsOf(dots.size() < 2 ? std::string(text) : From(text, dots[dots.size() - 2]));
}

}  // namespace syncline
