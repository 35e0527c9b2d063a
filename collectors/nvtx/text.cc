// SPDX-License-Identifier: Apache-2.0
// Conversion to UTF-8, and names that come from converted texts.
#include "collectors/nvtx/text.h"

#include <sys/mman.h>

#include <cstring>

#include "collectors/nvtx/event.h"
#include "inject/core/sys.h"

namespace syncline::nvtx {
namespace {

constexpr uint32_t kReplacement = 0xfffd;

uint32_t Valid(uint32_t character) {
  return character > 0x10ffff || (character >= 0xd800 && character < 0xe000) ? kReplacement
                                                                             : character;
}

size_t EncodedBytes(uint32_t character) {
  return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
}

char* Put(char* out, uint32_t character) {
  const auto tail = [](uint32_t bits) { return static_cast<char>(0x80 | (bits & 0x3f)); };
  switch (EncodedBytes(character)) {
    case 1:
      *out++ = static_cast<char>(character);
      break;
    case 2:
      *out++ = static_cast<char>(0xc0 | character >> 6);
      *out++ = tail(character);
      break;
    case 3:
      *out++ = static_cast<char>(0xe0 | character >> 12);
      *out++ = tail(character >> 6);
      *out++ = tail(character);
      break;
    default:
      *out++ = static_cast<char>(0xf0 | character >> 18);
      *out++ = tail(character >> 12);
      *out++ = tail(character >> 6);
      *out++ = tail(character);
      break;
  }
  return out;
}

}  // namespace

Utf8::Utf8(const wchar_t* text) {
  static_assert(sizeof(wchar_t) == 4, "wchar_t of Linux is UTF-32");
  if (text != nullptr) Encode(text, SIZE_MAX);
}

Utf8::Utf8(const char32_t* text, size_t characters) { Encode(text, characters); }

Utf8::Utf8(const char* text, size_t bytes) {
  bytes = strnlen(text, bytes);
  if (!Provide(bytes)) return;
  std::memcpy(data_, text, bytes);
  data_[bytes] = '\0';
}

Utf8::~Utf8() {
  if (mapped_ != 0) SysUnmap(data_, mapped_);
}

template <typename Character>
void Utf8::Encode(const Character* text, size_t characters) {
  size_t count = 0;
  size_t bytes = 0;
  // Unaligned: a payload may hold the text at any offset.
  const auto at = [text](size_t i) {
    uint32_t value;
    std::memcpy(&value, reinterpret_cast<const char*>(text) + 4 * i, 4);
    return value;
  };
  for (; count < characters && at(count) != 0; ++count) bytes += EncodedBytes(Valid(at(count)));
  if (!Provide(bytes)) return;
  char* out = data_;
  // Bounded again: another thread may change the text meanwhile.
  for (size_t i = 0;
       i < count && static_cast<size_t>(data_ + bytes - out) >= EncodedBytes(Valid(at(i))); ++i) {
    out = Put(out, Valid(at(i)));
  }
  bytes_ = static_cast<size_t>(out - data_);
  *out = '\0';
}

bool Utf8::Provide(size_t bytes) {
  bytes_ = bytes;
  if (bytes < sizeof(small_)) {
    data_ = small_;
    return true;
  }
  mapped_ = (bytes + 1 + 4095) & ~size_t{4095};
  data_ =
      static_cast<char*>(SysMap(mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  if (data_ == nullptr) mapped_ = 0;
  return data_ != nullptr;
}

Name ConvertedName(ThreadLog& log, const void* key, const Utf8& text, uint16_t domain) {
  NameCacheEntry& entry = CacheEntry(log, NameSlot(log, key), key);
  uint32_t id = entry.id;
  if (text.bytes() > kInlineNameBytes) {
    id = LongNameId(log, entry, text.data());
  } else if (entry.key != key || PlainBytes(entry) != text.bytes() ||
             std::memcmp(entry.copy, text.data(), text.bytes()) != 0) {
    id = DefineName(log, entry, key, text.data(), text.bytes(), false);
  }
  return Marked(log, entry, id, {text.data(), text.bytes()}, domain);
}

Name WideName(ThreadLog& log, const wchar_t* text, uint16_t domain) {
  if (text == nullptr) return {0, false};
  const Utf8 utf8(text);
  if (utf8.valid()) return ConvertedName(log, text, utf8, domain);
  CountLoss(kLoss_definition);
  return {0, true};
}

}  // namespace syncline::nvtx
