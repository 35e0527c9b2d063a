// SPDX-License-Identifier: Apache-2.0
// The name by which people know a process: the script's, not the interpreter's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inject/core/segment.h"

namespace syncline {

// The program's name, by the facts from /proc/PID. Their texts need not be terminated and may hold
// any bytes.
std::string ProgramName(const ProcessFacts& facts);

// The arguments as they were given; empty if they were not recorded. `cut`: there was no room for
// all of them; null: nobody asks.
std::vector<std::string> ArgumentsOf(const ProcessFacts& facts, bool* cut = nullptr);

// The arguments, quoted for a shell where needed, joined by spaces; empty if they were not
// recorded.
std::string CommandText(const ProcessFacts& facts);

// A terminated or full text of a fixed field.
template <size_t N>
std::string_view FieldText(const char (&field)[N]) {
  return std::string_view(field, N).substr(0, std::string_view(field, N).find('\0'));
}

}  // namespace syncline
