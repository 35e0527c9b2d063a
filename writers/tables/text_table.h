// SPDX-License-Identifier: Apache-2.0
// Tables on a terminal: a name on the left, numbers on the right of it, as many as have room.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/section.h"

namespace syncline {

struct TextStyle {
  size_t columns = 100;
  bool colours = false;
  bool all = false;  // all rows, however many lines that takes
};

// What is bold, and what is faint; as it is without colours.
std::string Bold(const std::string& text, const TextStyle& style);
std::string Faint(const std::string& text, const TextStyle& style);

// In lines of at most `columns`, broken at blanks. A word that is longer is shortened.
std::vector<std::string> Wrapped(const std::string& text, size_t columns);

class TextTable {
 public:
  // The most important column first: those that have no room are left out from the end.
  explicit TextTable(const Section& section);

  bool empty() const { return rows_.empty(); }
  size_t LongestName() const;
  size_t LeastName() const;  // the same where names with dots are shortened
  // A blank line, the head, the rows; names take `least_name` columns, or what else is free.
  std::vector<std::string> Lines(size_t least_name, const TextStyle& style) const;

 private:
  struct Row {
    std::string name;
    std::vector<std::string> cells;
  };
  size_t NameWidth(size_t least, size_t columns) const;
  std::vector<size_t> Widths(size_t left) const;

  std::string title_;
  std::vector<std::string> heads_;
  std::vector<Row> rows_;
  std::string note_;
};

}  // namespace syncline
