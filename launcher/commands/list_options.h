// SPDX-License-Identifier: Apache-2.0
// Options whose values are lists of a language of their own: a mistake in one would record
// something else than was wanted, so that it is an error.
#pragma once

#include <cstddef>
#include <string>

namespace syncline {

// What is wrong with `text` as a value of the option, a sentence; "": nothing, or the option is not
// one of these. `where` it stands: "--collect" or "SYNCLINE_COLLECT".
std::string ListProblem(size_t option, const std::string& where, const std::string& text);

// The same of all variables that are set, as they are in the environment; the first problem.
std::string ListVariablesProblem();

}  // namespace syncline
