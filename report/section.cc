// SPDX-License-Identifier: Apache-2.0
// Values as words.
#include "report/section.h"

#include <algorithm>

#include "base/text.h"
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
  std::string operator()(double share) const { return ShareText(share); }
  std::string operator()(bool yes) const { return yes ? "yes" : "no"; }
  std::string operator()(const Worded& told) const { return PrintableText(told.words); }
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

std::vector<size_t> ColumnsFor(const Section& section, ColumnPlace place) {
  std::vector<size_t> columns;
  for (size_t i = 0; i < section.columns.size(); ++i) {
    if ((section.columns[i].places & place) == 0) continue;
    const bool says = std::any_of(
        section.rows.begin(), section.rows.end(),
        [&section, i](const auto& row) { return !SaysNothing(row[i], section.columns[i].kind); });
    if (says) columns.push_back(i);
  }
  return columns;
}

}  // namespace syncline
