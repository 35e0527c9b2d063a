// SPDX-License-Identifier: Apache-2.0
// The head, what to change, a few rows of each table, what to know about the numbers.
#include "writers/tables/report_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log_commands.h"
#include "base/text.h"
#include "base/utf8.h"
#include "report/opening_texts.h"
#include "report/sections.h"
#include "report/words.h"
#include "writers/tables/text_table.h"

namespace syncline {
namespace {

using Lines = std::vector<std::string>;

constexpr size_t kFindingLines = 9;  // after the head: the first ten lines are about what to change
constexpr size_t kProblemLines = 3, kAdviceLines = 3;  // of one of them
constexpr size_t kLeastColumns = 40;
constexpr size_t kLeastSentence = 50;  // beside a gain
constexpr size_t kLeastName = 24, kMostName = 160;
constexpr size_t kLeastRunName = 20;
constexpr size_t kGap = 2;

void Append(Lines more, Lines* lines) {
  std::move(more.begin(), more.end(), std::back_inserter(*lines));
}

std::string HeadLine(const Report& report, const TextStyle& style) {
  const std::string label = report.simulated ? Text("   (", kSimulated, ")") : "";
  const std::string summary = ": " + SummaryText(report);
  const size_t left =
      style.columns - std::min(style.columns, ColumnsOf(summary) + ColumnsOf(label));
  const std::string name = Shortened(RunName(report), std::max(left, kLeastRunName));
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

void Limit(size_t most, size_t columns, Lines* lines) {
  if (lines->size() <= most) return;
  lines->resize(most);
  lines->back() = Shortened(lines->back() + " ...", columns);
}

FindingParagraph ParagraphOf(const ReportFinding& finding, const std::string& before,
                             size_t columns, bool all) {
  FindingParagraph text;
  const std::string problem = before + ProblemText(finding);
  const std::string details = Joined(DetailsOf(finding));
  const std::string advice = AdviceText(finding);
  const std::string together = Text(problem, details.empty() ? "" : "; ", details);
  const bool one_line = ColumnsOf(together) <= columns || details.empty();
  text.problem = Wrapped(one_line ? together : problem, columns);
  text.advice =
      Wrapped(one_line ? advice : Text(details, advice.empty() ? "" : ": ", advice), columns);
  if (all) return text;
  Limit(kProblemLines, columns, &text.problem);
  Limit(kAdviceLines, columns, &text.advice);
  return text;
}

// Where what is said of a finding begins, and how its gain is written before it.
struct FindingPlace {
  size_t number_columns = 0;
  size_t gain_columns = 0;
  size_t indent = 0;
  bool narrow = false;  // the gain stands in the text, or little room is left beside it
};

FindingPlace PlaceOf(const Report& report, size_t shown, const TextStyle& style) {
  FindingPlace place;
  if (shown != 0) place.number_columns = CountText(report.findings[shown - 1].number).size();
  for (size_t i = 0; i < shown; ++i)
    place.gain_columns = std::max(place.gain_columns, ColumnsOf(GainText(report.findings[i])));
  place.indent = place.number_columns + kGap + place.gain_columns + kGap;
  place.narrow = style.columns < place.indent + kLeastSentence;
  if (place.narrow) place.indent = place.number_columns + kGap;
  return place;
}

Lines LinesOfFinding(const ReportFinding& finding, const FindingPlace& place,
                     const TextStyle& style) {
  const std::string gain = GainText(finding), count = CountText(finding.number);
  const FindingParagraph text = ParagraphOf(finding, place.narrow ? Text(gain, "  ") : "",
                                            style.columns - place.indent, style.all);
  std::string begin = Text(std::string(place.number_columns - count.size(), ' '), count, "  ");
  if (!place.narrow) {
    begin += Text(std::string(place.gain_columns - ColumnsOf(gain), ' '), Bold(gain, style), "  ");
  }
  const std::string indent(place.indent, ' ');
  Lines lines;
  for (const std::string& line : text.problem)
    lines.push_back(Text(std::exchange(begin, indent), line));
  for (const std::string& line : text.advice) lines.push_back(Text(indent, Faint(line, style)));
  return lines;
}

Lines FindingLines(const Report& report, const TextStyle& style) {
  Lines lines;
  if (!report.only_finding && HasNothingText(report))
    lines = Wrapped(NothingText(report), style.columns);
  const size_t count = report.findings.size();
  const size_t shown = style.all ? count : std::min(count, kFindingLines);
  const FindingPlace place = PlaceOf(report, shown, style);
  size_t told = 0;
  for (; told < shown; ++told) {
    Lines more = LinesOfFinding(report.findings[told], place, style);
    const size_t rest = told + 1 == count ? 0 : 1;  // a line that tells how many more there are
    if (!style.all && told > 0 && lines.size() + more.size() + rest > kFindingLines) break;
    Append(std::move(more), &lines);
  }
  if (told < count) {
    lines.push_back(Text(std::string(place.indent, ' '),
                         Faint(Text("and ", CountText(count - told), " more: --all"), style)));
  }
  if (!report.only_finding && !report.host_work_text.empty())
    Append(Wrapped(PrintableText(report.host_work_text), style.columns), &lines);
  if (!report.only_finding && !report.order.empty())
    Append(Wrapped(report.order, style.columns), &lines);
  return lines;
}

// Who asks for all gets each column, however wide that is.
TextStyle StyleOfTables(TextStyle style) {
  if (style.all) style.columns = 1000;
  return style;
}

// As wide as the names shown need, and no wider than leaves room for the numbers.
size_t NameColumns(const std::vector<TextTable>& tables, const TextStyle& style) {
  size_t longest = 0;
  for (const TextTable& table : tables) longest = std::max(longest, table.LeastName());
  const size_t numbers = style.columns >= 110 ? std::max<size_t>(61, style.columns / 2) : 50;
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
  if (!report.limits.empty()) Append(Wrapped(LimitsText(report), style.columns), &lines);
  if (!report.only_finding) {
    for (const std::string& ending : OpeningTexts(report))
      Append(Wrapped(ending, style.columns), &lines);
  }
  Append(FindingLines(report, style), &lines);
  std::vector<TextTable> tables;
  for (const Section& section : TablesOf(report, {!style.all, true})) tables.emplace_back(section);
  const size_t name_columns = NameColumns(tables, style);
  for (const TextTable& table : tables) {
    const size_t own = std::clamp(table.LongestName(), kLeastName, kMostName);
    Append(table.Lines(style.all ? own : name_columns, StyleOfTables(style)), &lines);
  }
  Lines sentences;
  if (!report.only_finding) {
    sentences = report.problems;
    sentences.insert(sentences.end(), report.health.begin(), report.health.end());
  }
  AppendSentences("To know about these numbers", sentences, style, &lines);
  if (report.wish.most == 0) Cut(&lines, style);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return WithoutLogCommands(text);
}

}  // namespace syncline
