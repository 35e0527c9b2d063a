// SPDX-License-Identifier: Apache-2.0
// The structured log of PyTorch's compiler (TORCH_TRACE), as PyTorch 2.4 and later write it.
#pragma once

#include <istream>

#include "model/devices/compile_log.h"

namespace syncline::torch {

// Any bytes: what is no such log has no events, and no parts.
void ReadCompileLog(std::istream& file, const CompileReader& read);

}  // namespace syncline::torch
