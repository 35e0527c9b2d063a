// SPDX-License-Identifier: Apache-2.0
// Values as words.
#include "report/section.h"

#include <algorithm>
#include <limits>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/reached_rates.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr char kNothing[] = "-";
constexpr char kUnknown[] = "?";

std::string WholeText(uint64_t number, ValueKind kind) {
  switch (kind) {
    case ValueKind::kDuration:
      return number == 0 ? kNothing : DurationText(number);
    case ValueKind::kBytes:
      return number == 0 ? kNothing : SizeText(number);
    case ValueKind::kRate:
      return Text(SizeText(number), "/s");
    case ValueKind::kPlain:
      return std::to_string(number);
    default:
      return CountText(number);
  }
}

struct Printer {
  ValueKind kind;

  std::string operator()(Nothing) const { return kNothing; }
  std::string operator()(Unknown) const { return kUnknown; }
  std::string operator()(const std::string& text) const { return PrintableText(text); }
  std::string operator()(uint64_t number) const { return WholeText(number, kind); }
  std::string operator()(int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const {
    if (kind == ValueKind::kFlops) return FlopsText(number);
    return kind == ValueKind::kFlopRate ? Text(FlopsText(number), "/s") : ShareText(number);
  }
  std::string operator()(bool yes) const { return yes ? "yes" : "no"; }
  std::string operator()(const Worded& told) const { return PrintableText(told.words); }
};

// Numbers are compared as such, texts as texts; what is no number is less than each that is one.
struct SortKey {
  double number = -std::numeric_limits<double>::infinity();
  std::string_view text{};
};

struct Sorter {
  SortKey operator()(const std::string& text) const { return {SortKey{}.number, text}; }
  SortKey operator()(const Worded& told) const { return {told.number, {}}; }
  SortKey operator()(Nothing) const { return {}; }
  SortKey operator()(Unknown) const { return {}; }
  template <typename Number>
  SortKey operator()(Number number) const {
    return {static_cast<double>(number), {}};
  }
};

bool SaysNothing(const Value& value, ValueKind kind) {
  if (std::holds_alternative<Nothing>(value)) return true;
  if (const auto* text = std::get_if<std::string>(&value)) return text->empty();
  const auto* number = std::get_if<uint64_t>(&value);
  return kind != ValueKind::kPlain && number != nullptr && *number == 0;
}

}  // namespace

std::string ValueText(const Value& value, ValueKind kind) {
  return std::visit(Printer{kind}, value);
}

size_t ColumnNamed(const Section& section, std::string_view name) {
  for (size_t i = 0; i < section.columns.size() && !name.empty(); ++i) {
    if (name == section.columns[i].head || name == section.columns[i].key) return i;
  }
  return SIZE_MAX;
}

void SortRows(size_t column, Section* section) {
  section->sorted_by = column;
  StableSort(&section->rows, [column](const auto& a, const auto& b) {
    const SortKey left = std::visit(Sorter{}, a[column]);
    const SortKey right = std::visit(Sorter{}, b[column]);
    if (left.number != right.number) return left.number > right.number;
    return left.text < right.text;
  });
}

std::vector<size_t> ColumnsFor(const Section& section, ColumnPlace place) {
  std::vector<size_t> columns;
  for (size_t i = 0; i < section.columns.size(); ++i) {
    const Column& column = section.columns[i];
    const bool sorted = i == section.sorted_by && *column.head != 0;
    if ((column.places & place) == 0 && !sorted) continue;
    const bool says =
        std::any_of(section.rows.begin(), section.rows.end(),
                    [&column, i](const auto& row) { return !SaysNothing(row[i], column.kind); });
    if (!says) continue;
    columns.insert(sorted && !columns.empty() ? columns.begin() + 1 : columns.end(), i);
  }
  return columns;
}

}  // namespace syncline
