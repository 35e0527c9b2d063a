// SPDX-License-Identifier: Apache-2.0
// The table of NVTX's predefined payload types.
#include "model/spool/payload_types.h"

#include <array>

namespace syncline {
namespace {

using Value = PayloadValue;

struct Row {
  uint8_t type;
  PayloadTypeFacts facts;
};

constexpr Row kRows[] = {
    {1, {Value::kCharacter, 1}},             // CHAR
    {2, {Value::kUnsigned, 1}},              // UCHAR
    {3, {Value::kSigned, 2}},                // SHORT
    {4, {Value::kUnsigned, 2}},              // USHORT
    {5, {Value::kSigned, 4}},                // INT
    {6, {Value::kUnsigned, 4}},              // UINT
    {7, {Value::kSigned, 8}},                // LONG
    {8, {Value::kUnsigned, 8}},              // ULONG
    {9, {Value::kSigned, 8}},                // LONGLONG
    {10, {Value::kUnsigned, 8}},             // ULONGLONG
    {11, {Value::kSigned, 1}},               // INT8
    {12, {Value::kUnsigned, 1}},             // UINT8
    {13, {Value::kSigned, 2}},               // INT16
    {14, {Value::kUnsigned, 2}},             // UINT16
    {15, {Value::kSigned, 4}},               // INT32
    {16, {Value::kUnsigned, 4}},             // UINT32
    {17, {Value::kSigned, 8}},               // INT64
    {18, {Value::kUnsigned, 8}},             // UINT64
    {19, {Value::kFloat, 4}},                // FLOAT
    {20, {Value::kFloat, 8}},                // DOUBLE
    {kTypeLongDouble, {Value::kFloat, 16}},  // LONGDOUBLE
    {22, {Value::kUnsigned, 8}},             // SIZE
    {23, {Value::kAddress, 8}},              // ADDRESS
    {24, {Value::kCharacter, 4}},            // WCHAR
    {25, {Value::kCharacter, 1}},            // CHAR8
    {26, {Value::kCharacter, 2}},            // CHAR16
    {27, {Value::kCharacter, 4}},            // CHAR32
    {32, {Value::kByte, 1}},                 // BYTE
    {33, {Value::kWide, 16}},                // INT128
    {34, {Value::kWide, 16}},                // UINT128
    {kTypeFloat16, {Value::kFloat, 2}},      // FLOAT16
    {43, {Value::kFloat, 4}},                // FLOAT32
    {44, {Value::kFloat, 8}},                // FLOAT64
    {45, {Value::kWide, 16}},                // FLOAT128
    {kTypeBf16, {Value::kFloat, 2}},         // BF16
    {52, {Value::kFloat, 4}},                // TF32
    {67, {Value::kUnsigned, 8}},             // range id, since NVTX 3.3
    {68, {Value::kUnsigned, 4}},             // CATEGORY
    {69, {Value::kColor, 4}},                // COLOR_ARGB
    {70, {Value::kUnsigned, 8}},             // SCOPE_ID
    {71, {Value::kUnsigned, 4}},             // PID_UINT32
    {72, {Value::kUnsigned, 8}},             // PID_UINT64
    {73, {Value::kUnsigned, 4}},             // TID_UINT32
    {74, {Value::kUnsigned, 8}},             // TID_UINT64
    {75, {Value::kText, 1}},                 // CSTRING
    {76, {Value::kText, 1}},                 // CSTRING_UTF8
    {77, {Value::kText, 2}},                 // CSTRING_UTF16
    {78, {Value::kText, 4}},                 // CSTRING_UTF32
    {80, {Value::kAddress, 8}},              // NVTX_REGISTERED_STRING_HANDLE
    {100, {Value::kSelector, 0}},            // UNION_SELECTOR
};

constexpr auto kFactsOfTypes = [] {
  std::array<PayloadTypeFacts, 101> facts{};
  for (const Row& row : kRows) facts[row.type] = row.facts;
  return facts;
}();

}  // namespace

PayloadTypeFacts PayloadTypeOf(uint64_t type) {
  return type < kFactsOfTypes.size() ? kFactsOfTypes[type] : PayloadTypeFacts{Value::kUnknown, 0};
}

}  // namespace syncline
