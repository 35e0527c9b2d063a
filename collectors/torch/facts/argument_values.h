// SPDX-License-Identifier: Apache-2.0
// A list of an operator's arguments as values to reckon with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/torch/argument_words.h"

namespace syncline::torch {

struct ArgumentValue {
  // kTensor, kScalars, kInt, kDouble, kBool, or kOther: of nothing else is anything reckoned.
  Argument kind = Argument::kOther;
  uint64_t type = 0;               // of a tensor: its c10::ScalarType
  std::vector<int64_t> values{};   // sizes, none negative; of kScalars whole numbers and flags
  std::vector<int64_t> strides{};  // as many as sizes, or none: not known
  double number = 0;               // of kInt, kDouble, kBool
};

// `bytes`: argument_words.h; any bytes. The first arguments, as many as any operator needs. What is
// cut, or has a size that is none, is kOther.
std::vector<ArgumentValue> ReadArgumentValues(std::string_view bytes);

// The sizes of all, as torch.profiler groups by them: "[[8, 16], [], [[2], [3]]]".
std::string ShapesText(std::string_view bytes);

}  // namespace syncline::torch
