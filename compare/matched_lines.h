// SPDX-License-Identifier: Apache-2.0
// Which line of one version of a program is which line of another.
#pragma once

#include <map>
#include <string>

namespace syncline {

// Lines by what waits or works there; the texts are their source, empty where it is not known.
using LineTexts = std::map<std::string, std::string>;  // "train.py:42 step()" -> "x = y.item()"

// From lines of `b` to lines of `a`: those that stayed, unless their text is another one now; and
// those that moved within their function, known by their text. A text that stands at several lines
// of a function matches them in their order, if both have as many. What has no match is not there.
std::map<std::string, std::string> MatchedLines(const LineTexts& a, const LineTexts& b);

}  // namespace syncline
