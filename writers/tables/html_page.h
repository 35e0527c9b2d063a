// SPDX-License-Identifier: Apache-2.0
// A page of HTML as a whole: its policy, style, script, and the way to its parts.
#pragma once

#include <string>
#include <vector>

namespace syncline {

struct PagePart {
  const char* id;
  const char* title;  // in the navigation
  std::string html;   // empty: the part is left out
};

// `title` and all parts are HTML. The first part is what a reader wants first.
std::string HtmlPage(const std::string& title, const std::string& head,
                     const std::vector<PagePart>& parts);

}  // namespace syncline
