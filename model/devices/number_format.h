// SPDX-License-Identifier: Apache-2.0
// Formats of the numbers that devices compute with, by which their speed differs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace syncline {

enum class NumberFormat : uint8_t { kOther, kFp64, kFp32, kFp16, kBf16, kFp8 };
inline constexpr size_t kNumberFormats = 6;
// "bf16"
inline constexpr std::array<const char*, kNumberFormats> kNumberFormatNames = {
    "other", "fp64", "fp32", "fp16", "bf16", "fp8"};

}  // namespace syncline
