// SPDX-License-Identifier: Apache-2.0
// Lines of a file of which nobody knows how long they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <istream>
#include <string>
#include <string_view>

namespace syncline::torch {

// However long lines are, only the longest that is kept is in memory.
class LineReader {
 public:
  static constexpr size_t kLongestLine = size_t{8} << 20;

  explicit LineReader(std::istream* file) : file_(file) {}

  // False: there is no more. Longer ones are passed over.
  bool Next(std::string_view* line) {
    line_.clear();
    bool long_one = false;
    for (bool whole = false; !whole;) {
      if (at_ == bytes_ && !Fill()) {
        if (line_.empty() || long_one) return false;
        break;
      }
      const char* const begin = buffer_ + at_;
      const auto* end = static_cast<const char*>(std::memchr(begin, '\n', bytes_ - at_));
      whole = end != nullptr;
      const size_t size = whole ? static_cast<size_t>(end - begin) : bytes_ - at_;
      at_ += size + (whole ? 1 : 0);
      too_long_ += !long_one && line_.size() + size > kLongestLine;
      long_one = long_one || line_.size() + size > kLongestLine;
      if (!long_one) line_.append(begin, size);
      if (whole && long_one) line_.clear();
    }
    *line = line_;
    return true;
  }
  uint64_t too_long() const { return too_long_; }

 private:
  bool Fill() {
    file_->read(buffer_, sizeof(buffer_));
    bytes_ = static_cast<size_t>(file_->gcount());
    at_ = 0;
    return bytes_ != 0;
  }

  std::istream* const file_;
  char buffer_[1 << 16];
  size_t at_ = 0;
  size_t bytes_ = 0;
  std::string line_;
  uint64_t too_long_ = 0;
};

}  // namespace syncline::torch
