// SPDX-License-Identifier: Apache-2.0
// What a single step is called, by the name of its series and its number.
#pragma once

#include <cstdint>
#include <string>

namespace syncline {

// "step #" -> "step 7", "batch #/#" -> "batch 7/#", "epoch # step #" -> "epoch # step 7": the
// number stands where steps are counted (StepOf); "step" -> "step 7".
std::string LabelOfStep(const std::string& series, uint64_t number);

}  // namespace syncline
