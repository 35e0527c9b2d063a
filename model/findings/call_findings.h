// SPDX-License-Identifier: Apache-2.0
// What is kept of a program's calls beside their times: sums by the values of their labels, and
// what went in and out of them.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "model/findings/name_keys.h"

namespace syncline {

// Of values beyond the most that are told apart.
inline constexpr char kOtherValues[] = "(other values)";

struct LabelKey {
  std::string label;
  std::string value;  // as it is printed: 7, 0.5, True, "a text"
  RangeKey of;
  auto operator<=>(const LabelKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Inputs and result are texts of JSON, as io_signature.json has them.
struct SignatureKey {
  RangeKey of;
  std::string form;                                       // what tells signatures apart, a hash
  auto operator<=>(const SignatureKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct CallSignature {
  std::string inputs;
  std::string result;        // empty: not known
  std::string gradients;     // whether they are kept: true, false; empty: not known
  uint64_t begin_ns = 0;     // of the call that it was read at
  uint64_t duration_ns = 0;  // of that call

  // One whose result is known is told, else the earlier one.
  void Add(const CallSignature& other);
  bool operator==(const CallSignature&) const = default;
};

}  // namespace syncline
