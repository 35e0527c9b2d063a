// SPDX-License-Identifier: Apache-2.0
// Columns of numbers as text: whole numbers with a blank between, each the difference from the one
// before. A JSON array would take ten times the memory, and ten times the time to read.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace syncline {

class ColumnWriter {
 public:
  void Add(uint64_t value) {
    char text[24];
    const auto end =
        std::to_chars(text, text + sizeof(text), static_cast<int64_t>(value - last_)).ptr;
    if (!text_.empty()) text_.push_back(' ');
    text_.append(text, end);
    last_ = value;
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  uint64_t last_ = 0;
};

// Up to the first thing that is no number.
inline std::vector<uint64_t> ReadColumn(std::string_view text) {
  std::vector<uint64_t> values;
  uint64_t last = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int64_t difference = 0;
    const auto [after, error] = std::from_chars(at, end, difference);
    if (error != std::errc()) break;
    last += static_cast<uint64_t>(difference);
    values.push_back(last);
    at = after;
    if (at < end && *at == ' ') ++at;
  }
  return values;
}

}  // namespace syncline
