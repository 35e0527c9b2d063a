// SPDX-License-Identifier: Apache-2.0
// One line a finding, best first; an unknown number is an empty cell.
#include "writers/tables/report_csv.h"

#include <cstdint>
#include <cstdio>
#include <vector>

#include "base/text.h"
#include "report/words.h"

namespace syncline {
namespace {

std::string NumberCell(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.6f", value);
  return text;
}

std::string MillisecondCell(uint64_t ns) { return NumberCell(static_cast<double>(ns) / 1e6); }

std::string JoinedByCommas(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += Text(all.empty() ? "" : ", ", text);
  return all;
}

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

std::string ReportCsv(const Report& report) {
  std::string out;
  AppendLine({"kind", "problem", "where", "class", "call", "rank", "stage", "count", "blocked_ms",
              "gain_ms", "gain_percent", "assumption", "advice", "devices_are", "lost", "limits"},
             &out);
  for (const ReportFinding& finding : report.findings) {
    AppendLine(
        {CsvCell(finding.kind), CsvCell(finding.problem), CsvCell(finding.where),
         CsvCell(finding.wait_class), CsvCell(finding.call), CsvCell(finding.rank),
         CsvCell(finding.stage), std::to_string(finding.count), MillisecondCell(finding.blocked_ns),
         finding.priced ? MillisecondCell(finding.gain_ns) : "",
         finding.priced ? NumberCell(finding.gain_percent) : "", CsvCell(finding.assumption),
         CsvCell(finding.advice), report.simulated ? kSimulated : "real",
         CsvCell(LostText(finding.lost)), CsvCell(JoinedByCommas(report.limits))},
        &out);
  }
  return out;
}

}  // namespace syncline
