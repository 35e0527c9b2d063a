// SPDX-License-Identifier: Apache-2.0
// Rows of a comparison as cells.
#include "compare/compare_sections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "compare/told_changes.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kFewRows = 5;
constexpr size_t kRowColumns = 18;

constexpr Column kFates[] = {
    {"", "findings of the first", ValueKind::kCode, kShort | kPage},
    {"number", "", ValueKind::kCount, kFile},
    {"kind", "", ValueKind::kText, kFile},
    {"problem", "", ValueKind::kText, kFile},
    {"where", "", ValueKind::kCode, kFile},
    {"fate", "now", ValueKind::kText, kEverywhere},
    {"", "gain then", ValueKind::kText, kShort | kPage, "Of a step, as its report promised"},
    {"", "gain now", ValueKind::kText, kShort | kPage, "Of a step, as the second report promises"},
    {"was_gain_ms", "", ValueKind::kReal, kFile},
    {"now_gain_ms", "", ValueKind::kReal, kFile},
    {"now_where", "line now", ValueKind::kCode, kNotShort}};

constexpr std::array<Column, kRowColumns> ColumnsOf(const char* head, const char* amount) {
  return {{{"", head, ValueKind::kCode, kShort | kPage},
           {"name", "", ValueKind::kCode, kFile},
           {"where", "", ValueKind::kCode, kFile},
           {"outside", "", ValueKind::kText, kFile},
           {"was_where", "", ValueKind::kCode, kFile},
           {"statement", "statement", ValueKind::kCode, kNotShort},
           {"", "change", ValueKind::kText, kShort | kPage,
            "= : none that the spread does not explain"},
           {"", "before", ValueKind::kText, kShort | kPage, amount},
           {"", "after", ValueKind::kText, kShort | kPage, amount},
           {"", "times", ValueKind::kText, kShort | kPage, "In a step of a rank, before and after"},
           {"change", "", ValueKind::kText, kFile},
           {"before", "", ValueKind::kReal, kFile},
           {"after", "", ValueKind::kReal, kFile},
           {"before_count", "", ValueKind::kReal, kFile},
           {"after_count", "", ValueKind::kReal, kFile},
           {"delta_low", "", ValueKind::kReal, kFile},
           {"delta_high", "", ValueKind::kReal, kFile},
           {"chance", "", ValueKind::kReal, kFile}}};
}

struct Kind {
  FactKind kind;
  const char* id;
  const char* title;
  std::array<Column, kRowColumns> columns;
};

constexpr char kBlocked[] = "Blocked in a step of a rank";
constexpr char kTook[] = "In a step of a rank";
constexpr char kPeak[] = "At the peak";

constexpr std::array<Kind, kFactKinds> kKinds = {
    {{FactKind::kWait, "waits", "Waits", ColumnsOf("waits", kBlocked)},
     {FactKind::kHostWork, "host_work", "What the host did",
      ColumnsOf("no GPU works while the host does", kTook)},
     {FactKind::kIdle, "times", "Time of GPUs", ColumnsOf("time of GPUs", kTook)},
     {FactKind::kKernel, "kernels", "Kernels", ColumnsOf("kernels", kTook)},
     {FactKind::kCopy, "copies", "Copies", ColumnsOf("copies", kTook)},
     {FactKind::kOperator, "operators", "Operators", ColumnsOf("operators", kTook)},
     {FactKind::kStage, "stages", "Stages", ColumnsOf("stages", kTook)},
     {FactKind::kMemory, "memory", "Memory", ColumnsOf("memory", kPeak)},
     {FactKind::kLateRank, "late_ranks", "Late ranks",
      ColumnsOf("late ranks", "The others waited for it in a step")}}};

std::string NameOf(const ComparedRow& row) {
  const FactKey& key = row.key;
  const char* const outside = key.outside ? ", outside of the steps" : "";
  if (key.kind == FactKind::kKernel) return Text(KernelName(key.name), outside);
  if (key.where.empty()) return Text(key.name, outside);
  const std::string was = row.was.empty() ? "" : Text(" (was ", ShortPlace(row.was), ")");
  return Text(ShortPlace(key.where), was, ", ", key.name, outside);
}

std::string AmountText(const ComparedRow& row, double amount) {
  if (amount == 0) return "-";
  return row.key.kind == FactKind::kMemory ? SizeText(static_cast<uint64_t>(amount))
                                           : TimeText(amount);
}

std::string TimesText(const ComparedRow& row) {
  if (row.a.count == 0 && row.b.count == 0) return "";
  const std::string before = RateText(row.a.count), after = RateText(row.b.count);
  return before == after ? before : Text(before, " > ", after);
}

std::vector<Value> CellsOf(const ComparedRow& row) {
  const bool told = row.change != RowChange::kNone;
  const bool is_bytes = row.key.kind == FactKind::kMemory;
  const double unit = is_bytes ? 1 : 1e6;
  return {NameOf(row),
          row.key.name,
          row.key.where,
          row.key.outside,
          row.was,
          row.b.statement.empty() ? row.a.statement : row.b.statement,
          Worded{told ? DeltaText(row.difference.delta, is_bytes) : "=", row.difference.delta},
          Worded{AmountText(row, row.a.amount), row.a.amount},
          Worded{AmountText(row, row.b.amount), row.b.amount},
          TimesText(row),
          std::string(RowChangeName(row.change)),
          row.a.amount / unit,
          row.b.amount / unit,
          row.a.count,
          row.b.count,
          row.difference.low / unit,
          row.difference.high / unit,
          row.difference.chance};
}

Section SectionOf(const Kind& kind, const Comparison& comparison, const RowChoice& choice) {
  Section section = {kind.id, kind.title, kind.columns, {}, 0, {}};
  std::vector<const ComparedRow*> rows;
  for (const ComparedRow& row : comparison.rows) {
    if (row.key.kind == kind.kind) rows.push_back(&row);
  }
  StableSort(&rows, [](const ComparedRow* x, const ComparedRow* y) {
    const auto rank = [](const ComparedRow& row) {
      const bool told = row.change != RowChange::kNone;
      return std::make_tuple(
          !told, row.key.outside,
          -(told ? std::fabs(row.difference.delta) : std::max(row.a.amount, row.b.amount)));
    };
    return rank(*x) < rank(*y);
  });
  section.of = rows.size();
  rows.resize(std::min(rows.size(), choice.few ? kFewRows : choice.most));
  for (const ComparedRow* row : rows) section.rows.push_back(CellsOf(*row));
  return section;
}

}  // namespace

Section FatesSection(const Comparison& comparison) {
  Section section = {"fates", "What was found before", kFates, {}, 0, {}};
  for (const ComparedFinding& compared : comparison.findings) {
    const ReportFinding& finding = compared.finding;
    const bool priced = finding.priced;
    section.rows.push_back({ProblemText(finding), uint64_t{finding.number}, finding.kind,
                            finding.problem, finding.where,
                            std::string(FindingFateName(compared.fate)),
                            priced ? Text("-", TimeText(compared.was_ns)) : "",
                            compared.now_ns > 0 ? Text("-", TimeText(compared.now_ns)) : "",
                            compared.was_ns / 1e6, compared.now_ns / 1e6, compared.now_where});
  }
  section.of = section.rows.size();
  return section;
}

std::vector<Section> RowSections(const Comparison& comparison, const RowChoice& choice) {
  std::vector<Section> sections;
  for (const Kind& kind : kKinds) {
    Section section = SectionOf(kind, comparison, choice);
    sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace syncline
