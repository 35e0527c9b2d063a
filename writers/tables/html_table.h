// SPDX-License-Identifier: Apache-2.0
// A table of the page, which can be read without its script, and sorted and searched with it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace syncline {

struct HtmlColumn {
  const char* title;
  bool number = true;
  const char* hint = "";  // what it is; empty: the title says it
};

// A row is as many cells as there are columns, then EndRow().
class HtmlTable {
 public:
  // Rows beyond `most` are counted, not shown.
  HtmlTable(const char* label, const std::vector<HtmlColumn>& columns, size_t most);

  bool full() const { return rows_ == most_; }
  void Text(std::string_view text);  // of the program: escaped here
  void Code(std::string_view text);
  // Sorted by `value`.
  void Number(double value, const std::string& shown);
  void Count(uint64_t count);
  void Duration(uint64_t ns);
  void Percent(uint64_t part, uint64_t whole);
  void Unknown();                                        // a number that nobody knows
  void Html(const char* name, const std::string& html);  // ours; `name` is its class
  void EndRow();
  // To be called once. `of`: how many rows there are in all.
  std::string Take(size_t of);

 private:
  const size_t most_;
  size_t rows_ = 0;
  std::string html_;
};

struct BarPart {
  const char* name;  // its class
  uint64_t value;
};
// Parts of `whole` side by side; `label` is what is said to whoever does not see it.
std::string HtmlBar(const std::vector<BarPart>& parts, uint64_t whole, const std::string& label);

// A section with its heading.
std::string HtmlSection(const char* id, const char* title, const std::string& note,
                        const std::string& content);

}  // namespace syncline
