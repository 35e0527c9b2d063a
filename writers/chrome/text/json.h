// SPDX-License-Identifier: Apache-2.0
// Text of JSON values, fast: numbers by a two-digit table, strings escaped by RFC 8259.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace syncline {

inline constexpr size_t kMaxNumberChars = 24;

namespace json_internal {
struct DigitPairs {
  char text[200];
  constexpr DigitPairs() : text() {
    for (int i = 0; i < 100; ++i) {
      text[2 * i] = static_cast<char>('0' + i / 10);
      text[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
  }
};
inline constexpr DigitPairs kPairs;

inline void PutPair(char* out, uint32_t value) { std::memcpy(out, kPairs.text + 2 * value, 2); }

// The eight decimal digits of `value` (below 10^8), the first one in the lowest byte: split in
// halves, each lane in halves again, without a table or a store that the next load would have to
// wait for.
inline uint64_t EightDigits(uint32_t value) {
  const uint64_t fours = (uint64_t{value % 10000} << 32) | (value / 10000);
  const uint64_t hundreds = ((fours * 10486) >> 20) & 0x0000007f0000007f;
  const uint64_t pairs = ((fours - 100 * hundreds) << 16) + hundreds;
  const uint64_t tens = ((pairs * 103) >> 10) & 0x000f000f000f000f;
  return ((pairs - 10 * tens) << 8) + tens;
}
inline constexpr uint64_t kZeros = 0x3030303030303030;

inline char* PutEight(char* out, uint32_t value) {
  const uint64_t text = EightDigits(value) | kZeros;
  std::memcpy(out, &text, sizeof(text));
  return out + 8;
}

// Up to 8 digits, no leading zeros; writes 8 bytes.
inline char* PutSmall(char* out, uint32_t value) {
  const uint64_t digits = EightDigits(value);
  const int skip = __builtin_ctzll(digits | uint64_t{1} << 56) >> 3;
  const uint64_t text = (digits | kZeros) >> (8 * skip);
  std::memcpy(out, &text, sizeof(text));
  return out + 8 - skip;
}
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}  // namespace json_internal

// Writes at `out` and returns the end, as those after it.
inline char* Put(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

// Each writes at `out`, which needs room for kMaxNumberChars, and returns the end.
inline char* PutUint(char* out, uint64_t value) {
  using json_internal::PutEight;
  using json_internal::PutSmall;
  if (value < 100000000) return PutSmall(out, static_cast<uint32_t>(value));
  if (value < 10000000000000000) {
    out = PutSmall(out, static_cast<uint32_t>(value / 100000000));
    return PutEight(out, static_cast<uint32_t>(value % 100000000));
  }
  out = PutSmall(out, static_cast<uint32_t>(value / 10000000000000000));
  value %= 10000000000000000;
  out = PutEight(out, static_cast<uint32_t>(value / 100000000));
  return PutEight(out, static_cast<uint32_t>(value % 100000000));
}

inline char* PutInt(char* out, int64_t value) {
  if (value >= 0) return PutUint(out, static_cast<uint64_t>(value));
  *out = '-';
  return PutUint(out + 1, 0 - static_cast<uint64_t>(value));
}

// Nanoseconds as microseconds with exactly three decimals.
inline char* PutMicros(char* out, uint64_t ns) {
  const uint64_t us = ns / 1000;
  const auto rest = static_cast<uint32_t>(ns - us * 1000);
  out = PutUint(out, us);
  out[0] = '.';
  out[1] = static_cast<char>('0' + rest / 100);
  json_internal::PutPair(out + 2, rest % 100);
  return out + 4;
}

// Appends `text`, escaped, without quotes: valid JSON and valid UTF-8 whatever the bytes are.
// Invalid UTF-8 becomes U+FFFD, one per maximal invalid part. Returns whether all of it was valid.
bool AppendEscaped(std::string* out, std::string_view text);
// The same with quotes.
bool AppendString(std::string* out, std::string_view text);
void AppendUint(std::string* out, uint64_t value);
void AppendInt(std::string* out, int64_t value);
// A number where JSON has one, else a string: "NaN", "Infinity", "-Infinity".
void AppendDouble(std::string* out, double value);
// The same for a 32-bit value, with as few digits as tell it apart from other floats.
void AppendFloat(std::string* out, float value);
// A number up to 2^63-1, above that a string in hexadecimal, which readers would otherwise garble.
void AppendUintValue(std::string* out, uint64_t value);
// "0x" and 16 or fewer digits, quoted.
void AppendHex(std::string* out, uint64_t value);
// Bytes as lower-case hexadecimal digits, quoted.
void AppendHexBytes(std::string* out, std::string_view bytes);

}  // namespace syncline
