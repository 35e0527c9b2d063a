// SPDX-License-Identifier: Apache-2.0
// The findings as a list, the other sections as tables of a few rows.
#include "writers/tables/report_markdown.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/log_commands.h"
#include "base/text.h"
#include "report/opening_texts.h"
#include "report/sections.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kMostRows = 20;

bool IsNumber(ValueKind kind) { return kind != ValueKind::kText && kind != ValueKind::kCode; }

std::string CellText(const Value& value, ValueKind kind) {
  const std::string text = ValueText(value, kind);
  return kind == ValueKind::kCode ? MarkdownCode(text) : MarkdownText(text);
}

std::string FindingsPart(const Report& report) {
  std::string text;
  if (!report.only_finding) {
    for (const std::string& ending : OpeningTexts(report))
      text += Text("\n**", MarkdownText(ending), "**\n");
    if (HasNothingText(report)) text += Text("\n", NothingSentence(report), "\n");
  }
  if (report.findings.empty()) return text;
  text += "\n## What to change\n\n";
  for (const ReportFinding& finding : report.findings) {
    text += Text(finding.number, ". **", MarkdownText(GainText(finding)), "** ",
                 MarkdownText(ProblemText(finding)));
    std::vector<std::string> details = DetailsOf(finding);
    const bool in_stage = !details.empty() && details.back().starts_with("in `");
    if (in_stage) details.pop_back();
    for (const std::string& detail : details) text += "; " + MarkdownText(detail);
    if (in_stage) text += "; in " + MarkdownCode(finding.stage);
    const std::string advice = AdviceText(finding);
    text += advice.empty() ? "\n" : Text("\\\n   ", MarkdownText(advice), "\n");
  }
  if (!report.only_finding && !report.host_work_text.empty())
    text += Text("\n", MarkdownText(report.host_work_text), "\n");
  if (!report.only_finding && !report.order.empty())
    text += Text("\n", MarkdownText(report.order), "\n");
  return text;
}

std::string HealthPart(const Report& report) {
  if (report.only_finding || (report.problems.empty() && report.health.empty())) return "";
  std::string text = "\n## To know about these numbers\n\n";
  for (const std::string& sentence : report.problems)
    text += Text("- ", MarkdownText(sentence), "\n");
  for (const std::string& sentence : report.health)
    text += Text("- ", MarkdownText(sentence), "\n");
  return text;
}

bool IsWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::string MarkdownText(std::string_view text) {
  constexpr std::string_view kMeaning = "\\`*_[]<>|#!~&$";
  const std::string plain = PrintableText(text);
  std::string out;
  for (size_t i = 0; i < plain.size(); ++i) {
    const char c = plain[i];
    // snake_case means nothing, and stays readable where nobody renders it.
    const bool inner = c == '_' && i > 0 && i + 1 < plain.size() && IsWordChar(plain[i - 1]) &&
                       IsWordChar(plain[i + 1]);
    if (kMeaning.find(c) != std::string_view::npos && !inner) out += '\\';
    out += c;
  }
  return out;
}

std::string MarkdownCode(std::string_view text) {
  std::string out = "`";
  for (const char c : PrintableText(text)) {
    if (c == '|') out += '\\';  // else it ends the cell
    out += c == '`' ? '\'' : c;
  }
  return out.size() == 1 ? "" : out + "`";
}

std::string MarkdownTable(const Section& section) {
  if (section.rows.empty()) return "";
  const std::vector<size_t> columns = ColumnsFor(section, kShort);
  std::string text = Text("\n## ", section.title, "\n\n|"), line = "|";
  for (const size_t i : columns) {
    text += Text(" ", section.columns[i].head, " |");
    line += IsNumber(section.columns[i].kind) ? "--:|" : "---|";
  }
  text += Text("\n", line, "\n");
  for (const auto& row : section.rows) {
    text += "|";
    for (const size_t i : columns)
      text += Text(" ", CellText(row[i], section.columns[i].kind), " |");
    text += "\n";
  }
  if (section.rows.size() < section.of)
    text += Text("\nand ", CountText(section.of - section.rows.size()), " more\n");
  if (!section.note.empty()) text += Text("\n", MarkdownText(section.note), "\n");
  return text;
}

std::string ReportMarkdown(const Report& report) {
  std::string text = Text(
      "# ", MarkdownText(RunName(report)), "\n\n", SummaryText(report), ".",
      report.simulated ? Text(" **", kSimulated, "**: no real device took these times.") : "", "\n",
      report.limits.empty() ? "" : Text("\n**", MarkdownText(LimitsText(report)), "**\n"),
      FindingsPart(report));
  for (const Section& section : TablesOf(report, {false, true, kMostRows}))
    text += MarkdownTable(section);
  return WithoutLogCommands(text + HealthPart(report));
}

}  // namespace syncline
