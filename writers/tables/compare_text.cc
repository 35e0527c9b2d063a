// SPDX-License-Identifier: Apache-2.0
// The head, what changed, what limits now; what became of the findings; the tables side by side.
#include "writers/tables/compare_text.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/log_commands.h"
#include "base/text.h"
#include "base/utf8.h"
#include "compare/compare_sections.h"
#include "compare/compare_words.h"
#include "compare/told_changes.h"
#include "report/words.h"
#include "writers/tables/report_text.h"

namespace syncline {
namespace {

using Lines = std::vector<std::string>;

constexpr size_t kHeadLines = 10;
constexpr size_t kLeastColumns = 40, kLeastName = 24, kMostName = 160, kNumberColumns = 46;

void AppendTo(Lines* lines, Lines more) {
  std::move(more.begin(), more.end(), std::back_inserter(*lines));
}

Lines Indented(const std::string& first, const std::string& text, size_t columns) {
  const std::string indent(ColumnsOf(first), ' ');
  std::string begin = first;
  Lines lines;
  const size_t left = columns - std::min(columns, indent.size());
  for (const std::string& line : Wrapped(PrintableText(text), std::max<size_t>(left, kLeastName)))
    lines.push_back(Text(std::exchange(begin, indent), line));
  return lines;
}

// As many of the changes as leave room for what stands below them, and how many more there are.
Lines ChangeLines(const Comparison& comparison, const TextStyle& style, size_t room) {
  const std::vector<ToldChange> changes = ToldChanges(comparison);
  if (changes.empty()) return Wrapped(NoChangeText(comparison), style.columns);
  size_t widest = 0;
  for (const ToldChange& change : changes)
    widest = std::max(widest, ColumnsOf(DeltaText(change.delta, change.is_bytes)));
  Lines lines;
  for (size_t i = 0; i < changes.size(); ++i) {
    const std::string delta = DeltaText(changes[i].delta, changes[i].is_bytes);
    const std::string begin =
        Text(i + 1, i < 9 ? "  " : " ", std::string(widest - ColumnsOf(delta), ' '), delta, "  ");
    Lines more = Indented(begin, changes[i].sentence, style.columns);
    const size_t rest = i + 1 == changes.size() ? 0 : 1;
    if (!style.all && i > 0 && lines.size() + more.size() + rest > room) {
      lines.push_back(Text("   and ", CountText(changes.size() - i), " more: --all"));
      break;
    }
    AppendTo(&lines, std::move(more));
  }
  return lines;
}

TextStyle OfTables(TextStyle style) {
  constexpr size_t kAnyWidth = 1000;
  if (style.all) style.columns = kAnyWidth;
  return style;
}

void AppendTables(const Comparison& comparison, const TextStyle& style, Lines* lines) {
  std::vector<Section> sections = {FatesSection(comparison)};
  RowChoice choice;
  choice.few = !style.all;
  for (Section& section : RowSections(comparison, choice)) sections.push_back(std::move(section));
  std::vector<TextTable> tables;
  size_t longest = 0;
  for (const Section& section : sections) {
    if (section.rows.empty()) continue;
    tables.emplace_back(section);
    longest = std::max(longest, tables.back().LeastName());
  }
  const size_t most =
      style.columns > kNumberColumns + kLeastName ? style.columns - kNumberColumns : kLeastName;
  for (const TextTable& table : tables) {
    const size_t own = std::clamp(table.LongestName(), kLeastName, kMostName);
    const size_t shared = std::clamp(longest, kLeastName, most);
    AppendTo(lines, table.Lines(style.all ? own : shared, OfTables(style)));
  }
}

}  // namespace

std::string ComparisonText(const Comparison& comparison, const TextStyle& wished) {
  TextStyle style = wished;
  style.columns = std::max(style.columns, kLeastColumns);
  Lines lines = Indented("", HeadText(comparison), style.columns);
  lines[0] = Bold(lines[0], style);
  AppendTo(&lines, Indented(comparison.a.steps > 0 && comparison.b.steps > 0 ? "step  " : "run  ",
                            StepText(comparison), style.columns));
  Lines now = Indented("now   ", LimitsText(comparison), style.columns);
  const size_t taken = lines.size() + now.size();
  AppendTo(&lines, ChangeLines(comparison, style, kHeadLines - std::min(kHeadLines - 2, taken)));
  AppendTo(&lines, std::move(now));
  AppendTables(comparison, style, &lines);
  Lines notes;
  for (const std::string& note : NotesOf(comparison))
    AppendTo(&notes, Indented("- ", note, style.columns));
  if (!notes.empty()) notes.insert(notes.begin(), {"", Bold("To know about these numbers", style)});
  // Of the tables, not of the notes, some may be left out.
  if (!style.all && lines.size() + notes.size() > kMostTextLines) {
    const size_t kept = kMostTextLines - 1 - std::min(notes.size(), kMostTextLines / 2);
    const size_t more = lines.size() - std::min(lines.size(), kept);
    lines.resize(std::min(lines.size(), kept));
    lines.push_back(Faint(Text("and ", more, " more lines: --all"), style));
  }
  AppendTo(&lines, std::move(notes));
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return WithoutLogCommands(text);
}

}  // namespace syncline
