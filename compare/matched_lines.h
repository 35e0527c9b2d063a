// SPDX-License-Identifier: Apache-2.0
// Which line of one version of a program is which line of another.
#pragma once

#include <map>
#include <set>
#include <string>

namespace syncline {

struct SeenLine {
  std::string text;            // its source; empty: not known
  std::set<std::string> does;  // "legacy_stream: cudaStreamSynchronize"
};
using SeenLines = std::map<std::string, SeenLine>;  // by "train.py:42 step()"

// From lines of `b` to lines of `a`. A line with a known text is one with the same text: at the
// same place, else in the same function, else in the same file, else in a function of that name,
// else anywhere; of several in their order, if both sides have as many; else one of its function
// that does the same, with a text that is alike. A line without a text is the one at the same
// place, else one of its function that does the same. Of "a.py:4 f(), in b.py:9 g()" the first part
// counts, and the rest has to be the same but for its lines. What has no match is not there.
std::map<std::string, std::string> MatchedLines(const SeenLines& a, const SeenLines& b);

}  // namespace syncline
