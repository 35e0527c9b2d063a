// SPDX-License-Identifier: Apache-2.0
// What a single step is called, by the name of its series and its number.
#pragma once

#include <cstdint>
#include <string>

namespace syncline {

// The series of a program that names no step: a step ends with the optimizer's. Its first pass,
// which has what a program does once, is none of these steps.
inline constexpr char kTrainingStep[] = "training step";

// "step #" -> "step 7", "batch #/#" -> "batch 7/#", "epoch # step #" -> "epoch # step 7": the
// number stands where steps are counted (StepOf); "step" -> "step 7".
std::string LabelOfStep(const std::string& series, uint64_t number);

}  // namespace syncline
