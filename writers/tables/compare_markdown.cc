// SPDX-License-Identifier: Apache-2.0
// Changes as a list, rows as tables.
#include "writers/tables/compare_markdown.h"

#include "base/log_commands.h"
#include "base/text.h"
#include "compare/compare_sections.h"
#include "compare/compare_words.h"
#include "compare/told_changes.h"
#include "writers/tables/report_markdown.h"

namespace syncline {

std::string ComparisonMarkdown(const Comparison& comparison) {
  constexpr size_t kMostRows = 20;
  std::string text = Text("# ", MarkdownText(HeadText(comparison)), "\n\n**",
                          MarkdownText(StepText(comparison)), "**\n\n## What changed\n\n");
  const std::vector<ToldChange> changes = ToldChanges(comparison);
  if (changes.empty()) text += Text(MarkdownText(NoChangeText(comparison)), "\n");
  size_t number = 0;
  for (const ToldChange& change : changes) {
    text += Text(++number, ". **", DeltaText(change.delta, change.is_bytes), "** ",
                 MarkdownText(change.sentence), "\n");
  }
  text += Text("\n", MarkdownText(LimitsText(comparison)), "\n");
  text += MarkdownTable(FatesSection(comparison));
  RowChoice choice;
  choice.most = kMostRows;
  for (const Section& section : RowSections(comparison, choice)) text += MarkdownTable(section);
  const std::vector<std::string> notes = NotesOf(comparison);
  if (!notes.empty()) text += "\n## To know about these numbers\n\n";
  for (const std::string& note : notes) text += Text("- ", MarkdownText(note), "\n");
  return WithoutLogCommands(text);
}

}  // namespace syncline
