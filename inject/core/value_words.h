// SPDX-License-Identifier: Apache-2.0
// Values of a program as words: what a kArguments record of a range with PayloadType::kDetails
// holds. A value is a head and what the kind says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "inject/core/copied_names.h"

namespace syncline {

enum class ValueForm : uint8_t {
  kLabel = 1,     // count: bytes of its name, which follows; then its value
  kArgument = 2,  // the same
  kResult = 3,    // its value follows
  kNone = 4,
  kBool = 5,   // count: 0 or 1
  kInt = 6,    // a word
  kFloat = 7,  // a word
  kText = 8,   // count: bytes, which follow; kCutValue: it was longer
  kList = 9,   // count: items; as many as `told` follow
  kTuple = 10,
  kDict = 11,   // key and value of each
  kArray = 12,  // count: dimensions; `told`: it needs gradients; the texts of dtype and device
                // follow, and a word for each size
  kOther = 13,  // count: bytes of its class's name, which follows; 0: a label that has no value
  // The last of kMostValueWords, wherever that is: there was no room for the rest.
  kCut = 14,
  kRaised = 15,  // in the place of a result: an exception left the function
  // Of a class that is made of a builtin one: count: bytes of its name, which follows, and the text
  // of its module; then the value as the builtin class has it.
  kClass = 16,
  kArrayType = 17,    // of elements; count: bytes of its name, which follows
  kArrayDevice = 18,  // count: bytes of its kind, which follows; then a word for its number
  kGradients = 19,    // count: whether they are kept in the call
};

// A head: kind, flags, `told`, count.
inline constexpr uint64_t kCutValue = 1 << 8;
constexpr uint64_t ValueHead(ValueForm kind, uint64_t count = 0, uint64_t told = 0) {
  return static_cast<uint64_t>(kind) | told << 16 | count << 32;
}
constexpr ValueForm KindOfValue(uint64_t head) { return static_cast<ValueForm>(head & 0xff); }
constexpr uint32_t ToldOfValue(uint64_t head) { return static_cast<uint16_t>(head >> 16); }
constexpr uint32_t CountOfValue(uint64_t head) { return static_cast<uint32_t>(head >> 32); }

inline constexpr size_t kMostValueWords = 512;  // of one range

// Writes into room for kMostValueWords.
class ValueWriter {
 public:
  explicit ValueWriter(uint64_t* to) : begin_(to), at_(to) {}

  void Head(ValueForm kind, uint64_t count = 0, uint64_t told = 0) {
    const uint64_t head = ValueHead(kind, count, told);
    Mix(head);
    Put(head);
  }
  // What does not tell values apart that are of one form: numbers, texts, lengths of these.
  void Number(ValueForm kind, uint64_t bits) {
    Mix(static_cast<uint64_t>(kind));
    Put(ValueHead(kind));
    Put(bits);
  }
  void Text(ValueForm kind, std::string_view text, size_t most) {
    Mix(static_cast<uint64_t>(kind));
    PutText(kind, text, most);
  }
  // A text that does.
  void Name(ValueForm kind, std::string_view text) {
    constexpr size_t kMostName = 63;
    Mix(reinterpret_cast<uintptr_t>(KeyOfContent(text.data(), text.size())));
    PutText(kind, text, kMostName);
  }
  void Size(uint64_t size) {
    Mix(size);
    Put(size);
  }
  // Of what comes from outside: neither its words nor its form are looked at.
  void Copy(const uint64_t* words, size_t count) {
    for (size_t i = 0; i < count; ++i) Put(words[i]);
  }

  // So many words stand there already, at most kMostValueWords.
  void Skip(size_t count) {
    at_ += count;
    cut_ = at_ == begin_ + kMostValueWords;  // the last one says so, or fills the room
  }

  bool cut() const { return cut_; }
  size_t count() const { return static_cast<size_t>(at_ - begin_); }
  uint64_t form() const { return form_; }

 private:
  void Mix(uint64_t word) {
    constexpr uint64_t kMix = 0xD6E8FEB86659FD93ull;
    form_ = FoldProduct(form_ ^ word, kMix);
  }
  void Put(uint64_t word) {
    if (cut_) return;
    if (at_ + 1 == begin_ + kMostValueWords) {
      cut_ = true;
      word = ValueHead(ValueForm::kCut);
    }
    *at_++ = word;
  }
  void PutText(ValueForm kind, std::string_view text, size_t most) {
    size_t bytes = text.size();
    if (bytes > most) {
      bytes = most;  // no character is cut in two
      while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
    }
    Put(ValueHead(kind, bytes) | (bytes < text.size() ? kCutValue : 0));
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, text.data() + i, std::min(bytes - i, sizeof(word)));
      Put(word);
    }
  }

  uint64_t* begin_;
  uint64_t* at_;
  uint64_t form_ = 0x9E3779B97F4A7C15ull;
  bool cut_ = false;
};

}  // namespace syncline
