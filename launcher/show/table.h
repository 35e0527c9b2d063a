// SPDX-License-Identifier: Apache-2.0
// Columns of text, as wide as they need to be.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "launcher/host/shell_text.h"

namespace syncline {

// The last column is text and stands on the left of its place; the others are numbers and stand on
// the right.
class Table {
 public:
  Table(std::string title, std::vector<std::string> heads)
      : title_(std::move(title)), rows_{std::move(heads)} {}

  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  // The title and the first `most` rows; nothing where there is none.
  std::string Print(size_t most) const {
    if (rows_.size() == 1) return "";
    const size_t shown = most < rows_.size() ? most + 1 : rows_.size();
    const size_t last = rows_[0].size() - 1;
    std::vector<size_t> widths(last);
    for (size_t row = 0; row < shown; ++row) {
      for (size_t column = 0; column < last; ++column)
        widths[column] = std::max(widths[column], rows_[row][column].size());
    }
    std::string text = Text("\n", title_, "\n");
    for (size_t row = 0; row < shown; ++row) {
      text += " ";
      for (size_t column = 0; column < last; ++column) {
        const std::string& cell = rows_[row][column];
        text += Text(" ", std::string(widths[column] - cell.size(), ' '), cell, " ");
      }
      text += Text(" ", rows_[row][last], "\n");
    }
    if (shown < rows_.size())
      text += Text("  and ", CountText(rows_.size() - shown), " more (--json has all)\n");
    return text;
  }

 private:
  std::string title_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace syncline
