// SPDX-License-Identifier: Apache-2.0
// The lines of source text around a place of the program, as far as the text is there to be read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace syncline {

struct SourceLine {
  uint64_t number = 0;  // from 1
  std::string text;
  bool marked = false;  // the place itself
};

struct SourcePlace {
  std::string place;  // "train.py:8-9 batches()"
  std::string file;   // where it was read
  std::vector<SourceLine> lines;
  std::string unknown;  // why there are no lines; empty: there are some
};

// `directories`: against which relative names may stand, the likeliest first.
SourcePlace SourceAround(std::string_view place, const std::vector<std::string>& directories);

// Of the run in `run_directory`, by the command line of a process of its: where its files may be.
std::vector<std::string> SourceDirectories(const std::string& run_directory,
                                           const std::vector<std::string>& command_lines);

}  // namespace syncline
