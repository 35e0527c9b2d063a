// SPDX-License-Identifier: Apache-2.0
// The head, what to change, a few rows of each table, what to know about the numbers.
#include "writers/report/report_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/text.h"
#include "model/utf8.h"
#include "writers/report/text_sections.h"
#include "writers/report/words.h"

namespace syncline {
namespace {

using Lines = std::vector<std::string>;

constexpr size_t kFindingLines = 9;  // after the head: the first ten lines are about what to change
constexpr size_t kLeastColumns = 40;
constexpr size_t kLeastName = 24;
constexpr size_t kGap = 2;

void Append(Lines more, Lines* lines) {
  std::move(more.begin(), more.end(), std::back_inserter(*lines));
}

std::string HeadLine(const Report& report, const TextStyle& style) {
  const std::string label = report.simulated ? Text("   (", kSimulated, ")") : "";
  const std::string summary = ": " + SummaryText(report);
  const size_t left =
      style.columns - std::min(style.columns, ColumnsOf(summary) + ColumnsOf(label));
  const std::string name = Shortened(RunName(report), std::max<size_t>(left, 8));
  // A label that has no room would be worse than a summary that has none.
  const std::string rest = Shortened(
      summary, style.columns - std::min(style.columns, ColumnsOf(name) + ColumnsOf(label)));
  return Text(Bold(name, style), rest, label);
}

std::string Joined(const Lines& parts) {
  std::string text;
  for (const std::string& part : parts) text += Text(text.empty() ? "" : "; ", part);
  return text;
}

// In `columns` beside its gain: the problem, the details on its line if they have room there, and
// what to do.
struct FindingParagraph {
  Lines problem;
  Lines advice;
};

FindingParagraph ParagraphOf(const ReportFinding& finding, size_t columns) {
  FindingParagraph text;
  const std::string problem = ProblemText(finding);
  const std::string details = Joined(DetailsOf(finding));
  const std::string advice = AdviceText(finding);
  const std::string all = Text(problem, details.empty() ? "" : "; ", details);
  if (ColumnsOf(all) <= columns || details.empty()) {
    text.problem = Wrapped(all, columns);
    text.advice = Wrapped(advice, columns);
    return text;
  }
  text.problem = Wrapped(problem, columns);
  text.advice = Wrapped(Text(details, advice.empty() ? "" : ": ", advice), columns);
  return text;
}

Lines FindingLines(const Report& report, const TextStyle& style) {
  if (report.findings.empty()) return {"nothing found that costs each rank a hundredth of the run"};
  size_t gain_columns = 0;
  const size_t count = report.findings.size();
  const size_t number_columns = CountText(count).size();
  const size_t shown = style.all ? count : std::min(count, kFindingLines);
  for (size_t i = 0; i < shown; ++i)
    gain_columns = std::max(gain_columns, ColumnsOf(GainText(report.findings[i])));
  const size_t indent = number_columns + kGap + gain_columns + kGap;
  const size_t columns = std::max(style.columns - std::min(indent, style.columns), kLeastName);
  Lines lines;
  size_t told = 0;
  for (; told < shown; ++told) {
    const FindingParagraph text = ParagraphOf(report.findings[told], columns);
    const size_t more = text.problem.size() + text.advice.size();
    const bool last = told + 1 == count;
    if (!style.all && told > 0 && lines.size() + more + (last ? 0 : 1) > kFindingLines) break;
    const std::string gain = GainText(report.findings[told]);
    const std::string number = CountText(told + 1);
    std::string begin =
        Text(std::string(number_columns - number.size(), ' '), number, "  ",
             std::string(gain_columns - ColumnsOf(gain), ' '), Bold(gain, style), "  ");
    for (const std::string& line : text.problem)
      lines.push_back(Text(std::exchange(begin, std::string(indent, ' ')), line));
    for (const std::string& line : text.advice)
      lines.push_back(Text(std::string(indent, ' '), Faint(line, style)));
  }
  if (told < count) {
    lines.push_back(Faint(
        Text(std::string(indent, ' '), "and ", CountText(count - told), " more: --all"), style));
  }
  return lines;
}

// As wide as the names shown need, and no wider than leaves room for the numbers.
size_t NameColumns(const std::vector<TextTable>& tables, const TextStyle& style) {
  size_t longest = 0;
  for (const TextTable& table : tables) longest = std::max(longest, table.LongestName());
  const size_t numbers = style.columns >= 110 ? 60 : 50;
  const size_t most = style.columns > numbers + kLeastName ? style.columns - numbers : kLeastName;
  return std::clamp(longest, kLeastName, most);
}

void AppendSentences(const char* title, const Lines& sentences, const TextStyle& style,
                     Lines* lines) {
  if (sentences.empty()) return;
  Append({"", Bold(title, style)}, lines);
  for (const std::string& sentence : sentences) {
    std::string begin = "- ";
    for (const std::string& line : Wrapped(PrintableText(sentence), style.columns - 2))
      lines->push_back(Text(std::exchange(begin, "  "), line));
  }
}

// The last line says how many there are beyond it.
void Cut(Lines* lines, const TextStyle& style) {
  if (style.all || lines->size() <= kMostTextLines) return;
  const size_t more = lines->size() - (kMostTextLines - 1);
  lines->resize(kMostTextLines - 1);
  lines->push_back(Faint(Text("and ", more, " more lines: --all"), style));
}

}  // namespace

std::string ReportText(const Report& report, const TextStyle& wished) {
  TextStyle style = wished;
  style.columns = std::max(style.columns, kLeastColumns);
  Lines lines = {HeadLine(report, style)};
  Append(FindingLines(report, style), &lines);
  const std::vector<TextTable> tables = TablesOf(report, style.all);
  const size_t name_columns = NameColumns(tables, style);
  for (const TextTable& table : tables) {
    Append(table.Lines(name_columns, style), &lines);
  }
  Lines sentences = report.problems;
  sentences.insert(sentences.end(), report.health.begin(), report.health.end());
  AppendSentences("To know about these numbers", sentences, style, &lines);
  Cut(&lines, style);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace syncline
