// SPDX-License-Identifier: Apache-2.0
// Texts that are not plain char*: wide ones, and parts of payloads. Turned into UTF-8 without
// libc's heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cwchar>

#include "collectors/nvtx/event.h"

namespace syncline::nvtx {

// UTF-8 of a text, in a buffer on the stack or, when it is long, in pages of its own that the
// destructor returns. Surrogates and values beyond U+10FFFF become U+FFFD. Keeps errno.
class Utf8 {
 public:
  explicit Utf8(const wchar_t* text);             // up to the terminator; null: not valid()
  Utf8(const char32_t* text, size_t characters);  // need not be terminated; stops at a zero
  Utf8(const char* text, size_t bytes);           // a terminated copy; stops at a zero
  ~Utf8();
  Utf8(const Utf8&) = delete;
  Utf8& operator=(const Utf8&) = delete;

  bool valid() const { return data_ != nullptr; }  // false: null text, or out of memory
  const char* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  template <typename Character>
  void Encode(const Character* text, size_t characters);
  bool Provide(size_t bytes);

  char* data_ = nullptr;
  size_t bytes_ = 0;
  size_t mapped_ = 0;
  char small_[256];
};

// A name that the program keeps at `key` in another form than `text`, of a range in `domain`.
Name ConvertedName(ThreadLog& log, const void* key, const Utf8& text, uint16_t domain);

// A wide name.
Name WideName(ThreadLog& log, const wchar_t* text, uint16_t domain);

}  // namespace syncline::nvtx
