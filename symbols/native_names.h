// SPDX-License-Identifier: Apache-2.0
// The names of native addresses for all readers of this process, which read the same modules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbols/native_symbols.h"

namespace syncline {

// As NativeSymbols, for as long as the process lives. Any thread, one at a time.
const std::vector<NativeName>& NativeNamesAt(const NativeModule& module, uint64_t address);
std::vector<std::string> NativeNameProblems();

}  // namespace syncline
