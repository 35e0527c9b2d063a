// SPDX-License-Identifier: Apache-2.0
// Small text building without heap, stdio or locale, for the injected side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "inject/core/glob.h"

namespace syncline {

// Copies and terminates; cuts what does not fit.
inline void CopyText(char* out, size_t bytes, const char* text) {
  const size_t length = strnlen(text, bytes - 1);
  std::memcpy(out, text, length);
  out[length] = '\0';
}

// The next word of a list that commas separate, without the blanks around it; `*list` is moved
// behind it. Empty: there is none.
inline std::string_view NextWord(const char** list) {
  const char* word = *list + std::strspn(*list, ", \t");
  size_t length = std::strcspn(word, ",");
  *list = word + length;
  while (length > 0 && (word[length - 1] == ' ' || word[length - 1] == '\t')) --length;
  return {word, length};
}

// Whether `name` fits one of the patterns of `list`.
inline bool IsMatched(const char* list, const char* name) {
  for (std::string_view word = NextWord(&list); !word.empty(); word = NextWord(&list)) {
    if (MatchesGlob(word, name)) return true;
  }
  return false;
}

// A terminated text of at most 1023 bytes; what does not fit is cut and remembered.
class TextBuffer {
 public:
  constexpr TextBuffer() = default;

  TextBuffer& Add(const char* text) { return Add(text, std::strlen(text)); }

  TextBuffer& Add(const char* text, size_t bytes) {
    const size_t room = sizeof(text_) - 1 - length_;
    if (bytes > room) cut_ = true;
    const size_t take = bytes < room ? bytes : room;
    std::memcpy(text_ + length_, text, take);
    length_ += take;
    text_[length_] = '\0';
    return *this;
  }

  TextBuffer& AddNumber(uint64_t value) {
    char digits[20];
    size_t at = sizeof(digits);
    do {
      digits[--at] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    return Add(digits + at, sizeof(digits) - at);
  }

  const char* text() const { return text_; }
  size_t length() const { return length_; }
  bool cut() const { return cut_; }

 private:
  char text_[1024] = "";
  size_t length_ = 0;
  bool cut_ = false;
};

// Field `number` (1-based) of a /proc/PID/stat line, counting from behind the parenthesised name
// (which may hold anything); fields 1 and 2 are not available. 0 if absent.
inline uint64_t StatField(const char* stat, int number) {
  const char* at = std::strrchr(stat, ')');
  if (at == nullptr) return 0;
  for (int field = 2; field < number; ++field) {
    at = std::strchr(at + 1, ' ');
    if (at == nullptr) return 0;
  }
  uint64_t value = 0;
  for (++at; *at >= '0' && *at <= '9'; ++at) value = value * 10 + static_cast<uint64_t>(*at - '0');
  return value;
}

inline int32_t ParentOfStat(const char* stat) { return static_cast<int32_t>(StatField(stat, 4)); }

}  // namespace syncline
