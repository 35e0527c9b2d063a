// SPDX-License-Identifier: Apache-2.0
// Lines of a log that a system that builds would take for commands: made harmless.
#pragma once

#include <string>
#include <string_view>

namespace syncline {

// The same lines with '?' in place of one character of each command: GitHub runs "::name::value" at
// a line's begin, behind any blanks, and "##[name]" anywhere in it; Azure runs "##vso[name]". Names
// are the program's, and "::operator()" is one.
std::string WithoutLogCommands(std::string_view text);

}  // namespace syncline
