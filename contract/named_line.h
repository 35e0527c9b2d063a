// SPDX-License-Identifier: Apache-2.0
// Whether a line that a contract names, and at which nothing waits, is one of the program at all.
#pragma once

#include <string>
#include <string_view>

#include "contract/run_measures.h"

namespace syncline {

// Both empty: it is one, as far as its file and function say.
struct NamedLine {
  std::string misspelt;  // why it is none, and which one is nearest
  std::string doubt;     // why nobody knows
};

// A file is the program's if findings name a line of it, if it stands on a command line, or if it
// lies where the sources do. Where these do not lie here, a file that is not among the others may
// still be one.
NamedLine KnowLine(std::string_view place, const RunMeasures& run);

}  // namespace syncline
