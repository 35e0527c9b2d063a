// SPDX-License-Identifier: Apache-2.0
// Arguments of operators as torch.profiler writes them (record_shapes=True), which its readers
// know.
#pragma once

#include <string>
#include <string_view>

namespace syncline::torch {

// `bytes`: argument_words.h; any bytes. What they do not have is written as nothing that is known.
void AppendArguments(std::string_view bytes, std::string* out);

// The sizes of all, as torch.profiler groups by them: "[[8, 16], [], [[2], [3]]]".
std::string ShapesText(std::string_view bytes);

}  // namespace syncline::torch
