// SPDX-License-Identifier: Apache-2.0
// A section of a report as data: columns and rows, which each format prints by itself. A column
// is added to its section in report/*_sections.cc, for the places that its flags name; findings are
// sentences in text and Markdown (words.cc), and the only section of a sheet (CSV).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace syncline {

struct Nothing {};  // there is none: "-"
struct Unknown {};  // nobody knows it: "?"
// Words that stand for a number, by which rows are sorted: "waited 30.0 ms".
struct Worded {
  std::string words;
  double number = 0;
};
using Value = std::variant<Nothing, Unknown, std::string, uint64_t, int64_t, double, bool, Worded>;

// What the values of a column are. Numbers are whole ones, but for shares.
enum class ValueKind : uint8_t {
  kText,
  kCode,  // a name of the program
  kCount,
  kDuration,   // nanoseconds
  kShare,      // of 1
  kPeakShare,  // of 1; of what may have no peak: then null in JSON, too
  kBytes,
  kRate,      // bytes a second
  kFlops,     // operations on floating point numbers, a double
  kFlopRate,  // so many a second; in JSON 10^12 of them
  kReal,      // a double, for programs
  kPlain      // for programs: printed as it is, as moments in nanoseconds since 1970
};

// Where a column stands.
enum ColumnPlace : uint8_t {
  kShort = 1,    // text and Markdown, which have little room
  kPage = 2,     // report.html
  kFile = 4,     // JSON
  kSheet = 8,    // CSV
  kPageToo = 16  // report.html, where one table would be too wide: in a second one
};
inline constexpr uint8_t kEverywhere = kShort | kPage | kFile;
inline constexpr uint8_t kNotShort = kPage | kFile;

struct Column {
  const char* key;   // in JSON and CSV; "gaps_ms.copy": in an object
  const char* head;  // for people; the first short column is the row's name
  ValueKind kind;
  uint8_t places;
  const char* hint = "";  // what it is, where the head does not say so
};

struct Section {
  const char* id;  // in JSON, and of its place in the page
  const char* title;
  std::span<const Column> columns;
  std::vector<std::vector<Value>> rows;  // the most important first; as many values as columns
  size_t of = 0;                         // rows there are in all
  std::string note = {};                 // below the rows
  size_t sorted_by = SIZE_MAX;           // the column; none
};

// Which rows of a section somebody wants.
struct RowChoice {
  bool few = false;              // as many as a terminal has room for
  bool costliest_first = false;  // else in the order of the report
  size_t most = SIZE_MAX;
  const char* sort_by = "";  // a column, if the section has it: largest first, texts from A to Z
};

// As people read it, in all formats.
std::string ValueText(const Value& value, ValueKind kind);

// The column with that head, or key in JSON; SIZE_MAX: there is none.
size_t ColumnNamed(const Section& section, std::string_view name);
// What nobody knows stands last.
void SortRows(size_t column, Section* section);

// The columns of a place that say something in at least one row. The one by which the rows are
// sorted stands behind the name.
std::vector<size_t> ColumnsFor(const Section& section, ColumnPlace place);

}  // namespace syncline
