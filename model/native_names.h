// SPDX-License-Identifier: Apache-2.0
// The names of native addresses for all readers of this process, which read the same modules.
#pragma once

#include <cstdint>
#include <vector>

#include "model/native_symbols.h"

namespace syncline {

// As NativeSymbols::At; lives as long as the process. Any thread, one at a time.
const std::vector<NativeName>& NativeNamesAt(const NativeModule& module, uint64_t address);

}  // namespace syncline
