// SPDX-License-Identifier: Apache-2.0
// Arguments of operators as torch.profiler writes them (record_shapes=True), which its readers
// know.
#pragma once

#include <string>
#include <string_view>

namespace syncline::torch {

// `bytes`: argument_words.h; any bytes. What they do not have is written as nothing that is known.
void AppendArguments(std::string_view bytes, std::string* out);

}  // namespace syncline::torch
