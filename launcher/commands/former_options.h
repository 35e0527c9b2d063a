// SPDX-License-Identifier: Apache-2.0
// Names that options had before: they still work, and it is said that they will go.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace syncline {

// "--cuda-gap" of the option in kOptions at `index`; empty: it had no other name.
std::string FormerFlag(size_t index);

// A sentence for each former flag among the words of a command line, without the program's.
std::vector<std::string> FormerFlagNotes(const std::vector<std::string>& words);

// Gives the options the values of variables of their former names where they have none, and takes
// those variables out of the environment. A sentence for each. Before any call of OptionText and
// before any thread.
std::vector<std::string> AdoptFormerVariables();

}  // namespace syncline
