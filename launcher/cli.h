// SPDX-License-Identifier: Apache-2.0
// Reading a command line with CLI11, with our own words for what is wrong with it.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace syncline {

using Arguments = std::vector<std::string>;

// Where the options of `app` end in `arguments`: the index of the first word that is neither an
// option nor an option's value. "--" ends them too and is counted as an option.
struct OptionSpan {
  size_t end = 0;
  bool had_separator = false;
  std::string error;  // an unknown option, with the nearest known one
};
OptionSpan FindOptionSpan(const CLI::App& app, const Arguments& arguments);

// Parses all `arguments` with `app`; options and other words in any order. Returns an error with
// what, why, what to do, or "".
std::string ParseArguments(CLI::App* app, const Arguments& arguments);

}  // namespace syncline
