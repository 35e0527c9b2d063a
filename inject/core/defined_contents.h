// SPDX-License-Identifier: Apache-2.0
// What many ranges say alike (lists of arguments): written once a stream, known by its content.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/core/copied_names.h"

namespace syncline {

// 0: it could not be recorded (counted).
uint32_t DefineContent(ThreadLog& log, uint64_t hash, const uint64_t* words, size_t count);

// The chain of products is what it costs: two of them run beside each other.
inline uint64_t HashOfWords(const uint64_t* words, size_t count) {
  constexpr uint64_t kMix = 0xD6E8FEB86659FD93ull, kOtherMix = 0xA0761D6478BD642Full;
  uint64_t even = count * 0x9E3779B97F4A7C15ull, odd = kOtherMix;
  size_t i = 0;
  for (; i + 2 <= count; i += 2) {
    even = FoldProduct(even ^ words[i], kMix);
    odd = FoldProduct(odd ^ words[i + 1], kOtherMix);
  }
  if (i < count) even = FoldProduct(even ^ words[i], kMix);
  return FoldProduct(even ^ kOtherMix, odd ^ kMix);
}

// Either of the two places that it may have.
inline DefinedContent& ContentWay(ThreadLog& log, uint64_t hash, uint32_t way) {
  static_assert(kDefinedContents == 512);
  return log.contents[hash >> (9 * way) & 511];
}

// Inside a HookScope. The kArguments record of these words in the thread's stream, written on first
// sight; 64 bits of hash stand for them.
inline uint32_t ContentId(ThreadLog& log, const uint64_t* words, size_t count) {
  const uint64_t hash = HashOfWords(words, count);
  for (uint32_t way = 0; way < 2; ++way) {
    const DefinedContent& known = ContentWay(log, hash, way);
    if (__builtin_expect(known.hash == hash && known.id != 0, 1)) return known.id;
  }
  return DefineContent(log, hash, words, count);
}

}  // namespace syncline
