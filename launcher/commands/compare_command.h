// SPDX-License-Identifier: Apache-2.0
// Comparing runs, for all commands that end with it.
#pragma once

#include <string>
#include <vector>

namespace syncline {

struct CompareWish {
  std::vector<std::string> before, after;  // directories of runs
  std::string format = "text";             // or md, json, html
  bool all = false;
};

// What is wrong with `format`; empty: nothing.
std::string UnfitFormat(const CompareWish& wish);

// On stdout. Returns the exit status; why it is not 0 was said.
int CompareAndPrint(const CompareWish& wish);

}  // namespace syncline
