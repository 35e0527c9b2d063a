// SPDX-License-Identifier: Apache-2.0
// One line a finding, best first; an unknown number is an empty cell.
#include "writers/tables/report_csv.h"

#include <cstdint>
#include <cstdio>
#include <map>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "report/report_endings.h"
#include "report/section_rows.h"
#include "report/sections.h"

namespace syncline {
namespace {

std::string NumberText(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.6f", value);
  return text;
}

struct CellPrinter {
  ValueKind kind;

  std::string operator()(Nothing) const { return ""; }
  std::string operator()(Unknown) const { return ""; }
  std::string operator()(const std::string& text) const { return CsvCell(text); }
  std::string operator()(uint64_t number) const {
    return kind == ValueKind::kDuration ? NumberText(static_cast<double>(number) / 1e6)
                                        : std::to_string(number);
  }
  std::string operator()(int64_t number) const { return std::to_string(number); }
  std::string operator()(double share) const { return NumberText(100 * share); }
  std::string operator()(bool yes) const { return yes ? "true" : "false"; }
  std::string operator()(const Worded& told) const { return CsvCell(told.words); }
};

void AppendLine(const std::vector<std::string>& cells, std::string* out) {
  for (size_t i = 0; i < cells.size(); ++i) *out += Text(i == 0 ? "" : ",", cells[i]);
  *out += "\r\n";
}

}  // namespace

std::string CsvCell(std::string_view text) {
  constexpr std::string_view kFormula = "=+-@";
  const std::string plain = PrintableText(text);
  std::string cell;
  // Blanks before it are skipped by some.
  const size_t first = plain.find_first_not_of(' ');
  if (first != std::string::npos && kFormula.find(plain[first]) != std::string_view::npos)
    cell = "'";
  for (const char c : plain) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell.find_first_of(",\"") == std::string::npos ? cell : Text("\"", cell, "\"");
}

namespace {

// Rows that are no findings have cells in few of the columns.
void AppendOther(const Section& findings, const std::map<std::string_view, std::string>& values,
                 std::string* out) {
  std::vector<std::string> cells;
  for (const Column& column : findings.columns) {
    if ((column.places & kSheet) == 0) continue;
    const auto value = values.find(column.key);
    cells.push_back(value == values.end() ? "" : value->second);
  }
  AppendLine(cells, out);
}

void AppendEndings(const Report& report, const Section& findings, std::string* out) {
  for (const ReportEnding& ending : report.endings) {
    AppendOther(findings,
                {{"kind", "ending"},
                 {"problem", CsvCell(EndingText(ending))},
                 {"place", CsvCell(ending.end.where)},
                 {"where", CsvCell(ending.end.where)},
                 {"call", CsvCell(ending.end.call)},
                 {"rank", CsvCell(ending.rank)},
                 {"stage", CsvCell(InnermostRange(ending.end.ranges))},
                 {"count", "1"}},
                out);
  }
}

// Each row of the section: the cells of columns by the keys that these have among the findings.
void AppendRows(const char* kind, const Section& section,
                const std::map<std::string_view, const char*>& keys, const Section& findings,
                std::string* out) {
  for (const auto& row : section.rows) {
    std::map<std::string_view, std::string> cells = {{"kind", kind}};
    for (const auto& [key, of_section] : keys) {
      const size_t i = ColumnNamed(section, of_section);
      cells[key] = std::visit(CellPrinter{section.columns[i].kind}, row[i]);
    }
    AppendOther(findings, cells, out);
  }
}

}  // namespace

std::string ReportCsv(const Report& report) {
  const Section findings = FindingsSection(report, Wished(report, {}));
  std::string out;
  std::vector<std::string> cells;
  for (const Column& column : findings.columns) {
    if ((column.places & kSheet) != 0) cells.emplace_back(column.key);
  }
  AppendLine(cells, &out);
  for (const auto& row : findings.rows) {
    cells.clear();
    for (size_t i = 0; i < row.size(); ++i) {
      const Column& column = findings.columns[i];
      if ((column.places & kSheet) != 0)
        cells.push_back(std::visit(CellPrinter{column.kind}, row[i]));
    }
    AppendLine(cells, &out);
  }
  if (report.only_finding) return out;
  AppendEndings(report, findings, &out);
  AppendRows("stage_of_rank", RankStagesSection(report, {}),
             {{"rank", "rank"}, {"stage", "name"}, {"count", "count"}, {"total_ms", "total_ms"}},
             findings, &out);
  AppendRows("stage_by_label", LabelsSection(report, {}),
             {{"label", "label"},
              {"value", "value"},
              {"stage", "name"},
              {"program", "program"},
              {"count", "count"},
              {"total_ms", "total_ms"},
              {"blocked_ms", "blocked_ms"},
              {"device_ms", "device_ms"}},
             findings, &out);
  return out;
}

}  // namespace syncline
