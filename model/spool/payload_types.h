// SPDX-License-Identifier: Apache-2.0
// Numbers of NVTX's payload schema entries, as they stand in recorded schemas (nvToolsExtPayload.h
// names them so).
#pragma once

#include <cstdint>

namespace syncline {

enum PayloadEntryFlag : uint32_t {
  kEntryPointer = 1 << 1,
  kEntryOffsetFromBase = 1 << 2,
  kEntryOffsetFromHere = 1 << 3,
  kEntryArrayMask = 7 << 4,
  kEntryArrayFixed = 1 << 4,
  kEntryArrayZeroTerminated = 2 << 4,
  kEntryArrayLengthIndex = 3 << 4,
  kEntryArrayLengthPayload = 4 << 4,
  kEntryHide = 1 << 9,
};

// What a predefined type holds.
enum class PayloadValue : uint8_t {
  kUnknown,
  kSigned,
  kUnsigned,
  kFloat,
  kCharacter,  // part of a text, `bytes` wide
  kText,       // C string types; `bytes` is the width of a character
  kByte,       // raw
  kWide,       // 128 bits, shown as digits
  kAddress,
  kColor,
  kSelector,  // of a union
};

struct PayloadTypeFacts {
  PayloadValue value;
  uint8_t bytes;
};

// Facts of NVTX_PAYLOAD_ENTRY_TYPE_* on x86-64 and aarch64 Linux; kUnknown for a schema's number.
PayloadTypeFacts PayloadTypeOf(uint64_t type);

inline constexpr uint64_t kTypeFloat16 = 42;
inline constexpr uint64_t kTypeBf16 = 50;
inline constexpr uint64_t kTypeLongDouble = 21;

}  // namespace syncline
