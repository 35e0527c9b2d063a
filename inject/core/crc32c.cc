// SPDX-License-Identifier: Apache-2.0
// CRC-32C by the CPU's instruction, or by tables.
#include "inject/core/crc32c.h"

#include <array>
#include <atomic>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <nmmintrin.h>
#endif

namespace syncline {
namespace {

using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0x82f63b78u : 0u);
    tables[0][i] = value;
  }
  for (uint32_t i = 0; i < 256; ++i) {
    for (size_t t = 1; t < 8; ++t) {
      const uint32_t before = tables[t - 1][i];
      tables[t][i] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

#if defined(__x86_64__)
__attribute__((target("sse4.2,crc32"))) uint32_t Crc32cByInstruction(uint32_t crc, const void* data,
                                                                     size_t bytes) {
  const char* p = static_cast<const char*>(data);
  uint64_t state = ~crc;
  for (; bytes >= 8; bytes -= 8, p += 8) {
    uint64_t word;
    std::memcpy(&word, p, sizeof(word));
    state = _mm_crc32_u64(state, word);
  }
  auto narrow = static_cast<uint32_t>(state);
  for (; bytes > 0; --bytes, ++p) narrow = _mm_crc32_u8(narrow, static_cast<unsigned char>(*p));
  return ~narrow;
}

// cpuid traps in virtual machines, so it is asked once. Relaxed: every thread finds the same
// answer.
bool HasInstruction() {
  static std::atomic<int> answer{0};
  int known = answer.load(std::memory_order_relaxed);
  if (known == 0) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    known = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_2) != 0 ? 1 : 2;
    answer.store(known, std::memory_order_relaxed);
  }
  return known == 1;
}
#endif

}  // namespace

uint32_t Crc32cByTable(uint32_t crc, const void* data, size_t bytes) {
  const auto* p = static_cast<const unsigned char*>(data);
  uint32_t state = ~crc;
  for (; bytes >= 8; bytes -= 8, p += 8) {
    const uint32_t low =
        state ^ (p[0] | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24);
    state = kTables[7][low & 0xff] ^ kTables[6][(low >> 8) & 0xff] ^
            kTables[5][(low >> 16) & 0xff] ^ kTables[4][low >> 24] ^ kTables[3][p[4]] ^
            kTables[2][p[5]] ^ kTables[1][p[6]] ^ kTables[0][p[7]];
  }
  for (; bytes > 0; --bytes, ++p) state = (state >> 8) ^ kTables[0][(state ^ *p) & 0xff];
  return ~state;
}

uint32_t Crc32c(uint32_t crc, const void* data, size_t bytes) {
#if defined(__x86_64__)
  if (HasInstruction()) return Crc32cByInstruction(crc, data, bytes);
#endif
  return Crc32cByTable(crc, data, bytes);
}

}  // namespace syncline
