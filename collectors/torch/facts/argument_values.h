// SPDX-License-Identifier: Apache-2.0
// A list of an operator's arguments, read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/torch/argument_words.h"

namespace syncline::torch {

struct ArgumentValue {
  // kCut: there was no room for it, or it is not there whole. It is the last one of its list.
  Argument kind = Argument::kOther;
  uint64_t type = 0;  // of a tensor: its c10::ScalarType
  // A tensor's sizes; the one of kInt and kBool; of kScalars all, if they are such ones.
  std::vector<int64_t> values{};
  std::vector<int64_t> strides{};      // as many as sizes, or none: not known
  double number = 0, imaginary = 0;    // of kInt, kDouble, kBool, kComplex
  std::vector<ArgumentValue> items{};  // of kTensors and kScalars; no lists
  std::string group{};                 // of kGroup: its name, any bytes
  uint32_t group_rank = 0, ranks = 0;
};

// `bytes`: argument_words.h; any bytes.
std::vector<ArgumentValue> ReadArgumentValues(std::string_view bytes);

}  // namespace syncline::torch
