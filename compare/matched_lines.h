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

// From lines of `b` to lines of `a`: those that stayed, unless their text is another one now; and
// those that moved within their function, known by their text. A text that stands at several lines
// of a function matches them in their order, if both have as many. Where no text is known, so do
// lines of a function that do the same. What has no match is not there.
std::map<std::string, std::string> MatchedLines(const SeenLines& a, const SeenLines& b);

}  // namespace syncline
