// SPDX-License-Identifier: Apache-2.0
// Finds the dots of a name, and leaves out what stands before one of them.
#include "base/dotted_name.h"

#include <vector>

#include "base/text.h"
#include "base/utf8.h"

namespace syncline {
namespace {

constexpr std::string_view kCutEnd = "...";

bool IsOfName(char character) {
  const auto byte = static_cast<unsigned char>(character);
  const char lower = static_cast<char>(byte | 0x20);
  return byte >= 0x80 || (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') ||
         byte == '_' || byte == '<' || byte == '>';  // f.<locals>.g
}

// Where the name's dots are, if it begins at `at`; empty: it is no such name.
std::vector<size_t> DotsFrom(std::string_view text, size_t at) {
  std::vector<size_t> dots;
  for (; at < text.size() && (IsOfName(text[at]) || text[at] == '.'); ++at) {
    if (text[at] == '.') dots.push_back(at);
  }
  const bool ends = at == text.size() || text[at] == ' ' || text[at] == '`';
  return ends ? dots : std::vector<size_t>();
}

struct DottedName {
  size_t begin = 0;
  std::vector<size_t> dots;

  std::string From(std::string_view text, size_t dot) const {
    return Text(text.substr(0, begin), kCutEnd, text.substr(dot + 1));
  }
};

// Behind a backtick, or behind a label's value: "4, diffusers.Pipeline.step (py)".
DottedName NameIn(std::string_view text) {
  constexpr std::string_view kBehindValue = ", ";
  DottedName name;
  name.begin = text.starts_with('`') ? 1 : 0;
  name.dots = DotsFrom(text, name.begin);
  const size_t comma = text.find(kBehindValue);
  if (!name.dots.empty() || comma == std::string_view::npos) return name;
  name.begin = comma + kBehindValue.size();
  name.dots = DotsFrom(text, name.begin);
  return name;
}

}  // namespace

std::string ShortenedName(std::string_view text, size_t columns) {
  if (ColumnsOf(text) <= columns) return std::string(text);
  const DottedName name = NameIn(text);
  for (const size_t dot : name.dots) {
    std::string end = name.From(text, dot);
    if (ColumnsOf(end) <= columns) return end;
  }
  return Shortened(text, columns);
}

size_t LeastColumnsOf(std::string_view text) {
  const DottedName name = NameIn(text);
  const size_t dots = name.dots.size();
  return ColumnsOf(dots < 2 ? std::string(text) : name.From(text, name.dots[dots - 2]));
}

}  // namespace syncline
