// SPDX-License-Identifier: Apache-2.0
// What torch.distributed's operators do, by their names and inputs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/findings/operator_collective.h"

namespace syncline::torch {

// `bytes`: argument_words.h; any bytes.
std::optional<OperatorCollective> CollectiveOfOperator(std::string_view name,
                                                       std::string_view bytes);

// Appends its members to an object of JSON, named as Kineto names them.
void AppendCollective(const OperatorCollective& call, std::string* out);

}  // namespace syncline::torch
