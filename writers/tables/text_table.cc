// SPDX-License-Identifier: Apache-2.0
// Columns are counted as a terminal does; colours are added last.
#include "writers/tables/text_table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/dotted_name.h"
#include "base/text.h"
#include "base/utf8.h"

namespace syncline {
namespace {

constexpr size_t kLeastWidth = 8;  // so that columns of several tables stand below each other
constexpr size_t kBetween = 2;

std::string Right(const std::string& cell, size_t width) {
  const size_t columns = ColumnsOf(cell);
  return Text(std::string(width > columns ? width - columns : 0, ' '), cell);
}

std::string Left(const std::string& name, size_t width) {
  const std::string fits = ShortenedName(name, width);
  return Text(fits, std::string(width - ColumnsOf(fits), ' '));
}

}  // namespace

std::string Bold(const std::string& text, const TextStyle& style) {
  return style.colours ? Text("\033[1m", text, "\033[0m") : text;
}

std::string Faint(const std::string& text, const TextStyle& style) {
  return style.colours ? Text("\033[2m", text, "\033[0m") : text;
}

std::vector<std::string> Wrapped(const std::string& text, size_t columns) {
  std::vector<std::string> lines;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = rest.find(' ');
    const std::string word = ShortenedName(rest.substr(0, end), columns);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (word.empty()) continue;
    if (lines.empty() || ColumnsOf(lines.back()) + 1 + ColumnsOf(word) > columns) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
  }
  return lines;
}

TextTable::TextTable(const Section& section) : title_(section.title), note_(section.note) {
  if (section.rows.empty()) return;
  if (section.rows.size() < section.of)
    title_ += Text(" (", section.rows.size(), " of ", CountText(section.of), ")");
  const std::vector<size_t> columns = ColumnsFor(section, kShort);
  for (size_t i = 1; i < columns.size(); ++i) heads_.emplace_back(section.columns[columns[i]].head);
  for (const auto& row : section.rows) {
    Row& made = rows_.emplace_back();
    for (size_t i = 0; i < columns.size(); ++i) {
      std::string text = ValueText(row[columns[i]], section.columns[columns[i]].kind);
      i == 0 ? made.name = std::move(text) : made.cells.emplace_back(std::move(text));
    }
  }
}

size_t TextTable::LongestName() const {
  size_t longest = 0;
  for (const Row& row : rows_) longest = std::max(longest, ColumnsOf(row.name));
  return longest;
}

size_t TextTable::LeastName() const {
  size_t longest = 0;
  for (const Row& row : rows_) longest = std::max(longest, LeastColumnsOf(row.name));
  return longest;
}

// Long names take what the columns leave free.
size_t TextTable::NameWidth(size_t least, size_t columns) const {
  const std::vector<size_t> widths = Widths(SIZE_MAX);
  size_t taken = kBetween * widths.size();
  for (const size_t width : widths) taken += width;
  return columns < taken ? least : std::max(least, std::min(LongestName(), columns - taken));
}

// Of the columns that fit into `left`.
std::vector<size_t> TextTable::Widths(size_t left) const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < heads_.size(); ++i) {
    size_t width = std::max(kLeastWidth, ColumnsOf(heads_[i]));
    for (const Row& row : rows_) width = std::max(width, ColumnsOf(row.cells[i]));
    if (width + kBetween > left) break;
    left -= width + kBetween;
    widths.push_back(width);
  }
  return widths;
}

std::vector<std::string> TextTable::Lines(size_t least_name, const TextStyle& style) const {
  if (rows_.empty()) return {};
  const size_t name_columns = NameWidth(least_name, style.columns);
  const std::vector<size_t> widths =
      Widths(style.columns > name_columns ? style.columns - name_columns : 0);
  const std::string between(kBetween, ' ');
  std::string head = Left(title_, name_columns);
  for (size_t i = 0; i < widths.size(); ++i) head += between + Right(heads_[i], widths[i]);
  std::vector<std::string> lines = {"", Bold(head, style)};
  for (const Row& row : rows_) {
    std::string line = Left(row.name, name_columns);
    for (size_t i = 0; i < widths.size(); ++i) line += between + Right(row.cells[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  if (note_.empty()) return lines;
  for (const std::string& line : Wrapped(note_, style.columns)) lines.push_back(Faint(line, style));
  return lines;
}

}  // namespace syncline
