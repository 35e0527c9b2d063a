// SPDX-License-Identifier: Apache-2.0
// A literal as the argument of a template.
#pragma once

#include <cstddef>

namespace syncline::level_zero {

template <size_t kBytes>
struct FixedText {
  // NOLINTNEXTLINE(google-explicit-constructor): a literal stands for it
  constexpr FixedText(const char (&from)[kBytes]) {
    for (size_t i = 0; i < kBytes; ++i) text[i] = from[i];
  }
  char text[kBytes] = {};
};

}  // namespace syncline::level_zero
