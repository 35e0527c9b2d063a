// SPDX-License-Identifier: Apache-2.0
// The structured log of PyTorch's compiler (TORCH_TRACE), as PyTorch 2.4 and later write it.
#pragma once

#include <functional>
#include <istream>

#include "model/devices/compile_log.h"

namespace syncline::torch {

// Any bytes: what is no such log has no events.
void ReadCompileLog(std::istream& file, const std::function<void(const CompileEvent&)>& event);

}  // namespace syncline::torch
