// SPDX-License-Identifier: Apache-2.0
// A table of the page, which can be read without its script, and sorted and searched with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "report/section.h"

namespace syncline {

// A column of ours that no other format has.
struct HtmlColumn {
  size_t before = 0;  // which of the section's columns it stands before
  const char* head = "";
  const char* hint = "";
  std::function<std::string(size_t)> cell;  // HTML of a row; null: there is no such column
};

// The table; empty: the section has no rows.
std::string HtmlTable(const Section& section, const HtmlColumn& more = {},
                      ColumnPlace place = kPage);

struct BarPart {
  const char* name;  // its class
  uint64_t value;
};
// Parts of `whole` side by side; `label` is what is said to whoever does not see it.
std::string HtmlBar(const std::vector<BarPart>& parts, uint64_t whole, const std::string& label);

// A section with its heading. Empty: it has no content.
std::string HtmlPart(const char* id, const char* title, const std::string& note,
                     const std::string& content);

}  // namespace syncline
