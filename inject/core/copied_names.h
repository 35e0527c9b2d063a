// SPDX-License-Identifier: Apache-2.0
// Names that the program writes anew each time it uses them, wherever: known by their content, not
// by their place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "inject/core/emit.h"

namespace syncline {

inline constexpr uint32_t kCopiedNameWays = 4;  // places that a name may have

inline uint64_t FoldProduct(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Up to eight bytes at the end, all of those that are there.
inline uint64_t LastBytes(const char* text, size_t bytes) {
  if (bytes >= 8) {
    uint64_t last;
    std::memcpy(&last, text + bytes - 8, sizeof(last));
    return last;
  }
  if (bytes >= 4) {
    uint32_t first, last;
    std::memcpy(&first, text, sizeof(first));
    std::memcpy(&last, text + bytes - 4, sizeof(last));
    return uint64_t{first} << 32 | last;
  }
  if (bytes == 0) return 0;
  const auto at = [&](size_t i) { return uint64_t{static_cast<uint8_t>(text[i])}; };
  return at(0) << 16 | at(bytes / 2) << 8 | at(bytes - 1);
}

// 63 bits of the content's hash, and one that no address of a program has.
inline const void* KeyOfContent(const char* text, size_t bytes) {
  constexpr uint64_t kMix = 0xD6E8FEB86659FD93ull;
  uint64_t hash = bytes * 0x9E3779B97F4A7C15ull;
  for (size_t i = 0; i + 8 < bytes; i += 8) {
    uint64_t word;
    std::memcpy(&word, text + i, sizeof(word));
    hash = FoldProduct(hash ^ word, kMix);
  }
  hash = FoldProduct(hash ^ LastBytes(text, bytes), kMix);
  return reinterpret_cast<const void*>(hash | uint64_t{1} << 63);  // NOLINT: no pointer
}

// Null: it could not be recorded (counted).
NameCacheEntry* DefineCopiedName(ThreadLog& log, const void* key, const char* text, size_t bytes);

inline NameCacheEntry& CopiedNameWay(ThreadLog& log, const void* key, uint32_t way) {
  static_assert(kNameCacheEntries == 256);
  return log.names[reinterpret_cast<uintptr_t>(key) >> (8 * way) & 255];
}

// Its entry in the thread's stream, defined on first sight.
inline NameCacheEntry* CopiedName(ThreadLog& log, const char* text, size_t bytes) {
  const void* key = KeyOfContent(text, bytes);
  for (uint32_t way = 0; way < kCopiedNameWays; ++way) {
    NameCacheEntry& entry = CopiedNameWay(log, key, way);
    if (__builtin_expect(entry.key == key, 1)) return &entry;
  }
  return DefineCopiedName(log, key, text, bytes);
}

}  // namespace syncline
