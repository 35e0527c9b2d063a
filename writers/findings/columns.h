// SPDX-License-Identifier: Apache-2.0
// Columns of numbers as text: whole numbers with a blank between, each the difference from the one
// before. A JSON array would take ten times the memory, and ten times the time to read.
#pragma once

#include <algorithm>
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

// Up to the first thing that is no number. The text outlives this.
class ColumnReader {
 public:
  explicit ColumnReader(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  bool Next(uint64_t* value) {
    int64_t difference = 0;
    if (!Short(&difference)) {
      const auto [after, error] = std::from_chars(at_, end_, difference);
      if (error != std::errc()) return false;
      at_ = after;
    }
    *value = last_ += static_cast<uint64_t>(difference);
    if (at_ < end_ && *at_ == ' ') ++at_;
    return true;
  }
  // At most so many numbers follow.
  size_t Most() const {
    return at_ == end_ ? 0 : 1 + static_cast<size_t>(std::count(at_, end_, ' '));
  }

 private:
  // A number that cannot be too large, which is the usual case. False: it is none such.
  bool Short(int64_t* number) {
    constexpr ptrdiff_t kDigits = 18;
    const char* digit = at_;
    const bool negative = digit < end_ && *digit == '-';
    if (negative) ++digit;
    const char* const first = digit;
    int64_t value = 0;
    for (; digit < end_ && *digit >= '0' && *digit <= '9'; ++digit) {
      if (digit - first == kDigits) return false;
      value = value * 10 + (*digit - '0');
    }
    if (digit == first) return false;
    at_ = digit;
    *number = negative ? -value : value;
    return true;
  }

  const char* at_;
  const char* const end_;
  uint64_t last_ = 0;
};

inline std::vector<uint64_t> ReadColumn(std::string_view text) {
  std::vector<uint64_t> values;
  ColumnReader reader(text);
  for (uint64_t value = 0; reader.Next(&value);) values.push_back(value);
  return values;
}

}  // namespace syncline
