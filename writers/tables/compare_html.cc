// SPDX-License-Identifier: Apache-2.0
// Cards of what changed, the steps of both sides over each other, the tables.
#include "writers/tables/compare_html.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "compare/compare_sections.h"
#include "compare/compare_words.h"
#include "compare/told_changes.h"
#include "report/words.h"
#include "writers/tables/html_page.h"
#include "writers/tables/html_table.h"
#include "writers/tables/html_text.h"

namespace syncline {
namespace {

constexpr size_t kMostChanges = 20, kMostRowsOfPage = 1000, kMostPoints = 1000;
constexpr double kChartWidth = 1000, kChartHeight = 220;

std::string TileOf(const char* name, const std::string& value, const std::string& more) {
  return Text("<div><dt>", name, "</dt><dd>", HtmlText(value), "<small>", HtmlText(more),
              "</small></dd></div>");
}

std::string HeadOf(const Comparison& comparison) {
  const ComparedSide &a = comparison.a, &b = comparison.b;
  const bool simulated = a.simulated || b.simulated;
  std::string html = Text("<header><p class=\"tool\">Syncline comparison",
                          simulated ? " <span class=\"badge\">Simulated</span>" : "", "</p><h1>",
                          HtmlText(a.name), " &rarr; ", HtmlText(b.name), "</h1><p class=\"note\">",
                          HtmlText(StepText(comparison), 1000), "</p><dl class=\"tiles\">");
  if (a.steps > 0 && b.steps > 0)
    html += TileOf("Step", Text(TimeText(a.step_ns), " -> ", TimeText(b.step_ns)), "on an average");
  html += TileOf("Length", Text(TimeText(a.length_ns), " -> ", TimeText(b.length_ns)),
                 "first begin to last end");
  if (a.busy >= 0 && b.busy >= 0)
    html += TileOf("GPUs busy", Text(ShareText(a.busy), " -> ", ShareText(b.busy)),
                   "of the time of the steps");
  html += TileOf("Ranks", Text(a.ranks, " -> ", b.ranks), "");
  return html + "</dl></header>\n";
}

std::string Changes(const Comparison& comparison) {
  const std::vector<ToldChange> changes = ToldChanges(comparison);
  std::string html;
  if (changes.empty())
    html =
        Text("<p class=\"empty\">", HtmlText(Capitalised(NoChangeText(comparison)), 1000), ".</p>");
  if (!changes.empty()) html += "<ol class=\"cards\">\n";
  for (size_t i = 0; i < std::min(changes.size(), kMostChanges); ++i) {
    const ToldChange& change = changes[i];
    html += Text("<li class=\"card", i == 0 ? " first" : "",
                 "\"><div class=\"heading\"><div class=\"number\" aria-hidden=\"true\">", i + 1,
                 "</div><div class=\"title\"><h3>", HtmlText(change.sentence, 1000),
                 "</h3></div><div class=\"gain", change.delta < 0 ? "" : " none", "\"><b>",
                 DeltaText(change.delta, change.is_bytes), "</b></div></div></li>\n");
  }
  if (!changes.empty()) html += "</ol>";
  html += Text("<p class=\"note\">", HtmlText(LimitsText(comparison), 1000), "</p>");
  return HtmlPart("changes", "What changed", "", html);
}

// The steps of one side as the points of a line, each of `each` steps the longest.
std::string Points(const std::vector<double>& steps, size_t most, double longest_ns) {
  const size_t each = (steps.size() + kMostPoints - 1) / kMostPoints;
  std::string points;
  for (size_t i = 0; i < steps.size(); i += each) {
    const auto begin = steps.begin() + static_cast<ptrdiff_t>(i);
    const auto end = begin + static_cast<ptrdiff_t>(std::min(each, steps.size() - i));
    const double x =
        kChartWidth * static_cast<double>(i) / static_cast<double>(std::max<size_t>(most, 2) - 1);
    const double y =
        kChartHeight - (kChartHeight - 10) * *std::max_element(begin, end) / longest_ns;
    points += Text(HtmlNumber(x, 1), ",", HtmlNumber(y, 1), " ");
  }
  return points;
}

std::string StepChart(const Comparison& comparison) {
  const std::vector<double>&a = comparison.a.series_ns, &b = comparison.b.series_ns;
  if (a.size() < 2 || b.size() < 2) return "";
  const double longest =
      std::max({*std::max_element(a.begin(), a.end()), *std::max_element(b.begin(), b.end()), 1.0});
  const size_t most = std::max(a.size(), b.size());
  std::string html = Text(
      "<svg class=\"chart\" viewBox=\"-10 -10 1020 250\" role=\"img\" aria-label=\"Duration of "
      "each step, before and after\"><line class=\"axis\" x1=\"0\" y1=\"220\" x2=\"1000\" "
      "y2=\"220\"/><text x=\"0\" y=\"6\">",
      TimeText(longest), "</text><text x=\"0\" y=\"238\">first</text>");
  html += Text("<polyline class=\"before\" points=\"", Points(a, most, longest),
               "\"/><polyline class=\"after\" points=\"", Points(b, most, longest), "\"/></svg>");
  html += Text(
      "<ul class=\"legend\"><li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect "
      "class=\"host-busy\" width=\"10\" height=\"10\"/></svg>before: ",
      HtmlText(comparison.a.name),
      "</li><li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"communicating\" "
      "width=\"10\" height=\"10\"/></svg>after: ",
      HtmlText(comparison.b.name), "</li></ul>");
  return HtmlPart("steps", "Steps",
                  "Of one rank of one run of each; the first ones of a program "
                  "that warms up are left out.",
                  html);
}

std::string Notes(const Comparison& comparison) {
  std::string html;
  for (const std::string& note : NotesOf(comparison))
    html += Text("<li>", HtmlText(note, 1000), "</li>");
  return HtmlPart("notes", "To know about these numbers", "",
                  html.empty() ? "" : Text("<ul class=\"sentences\">", html, "</ul>"));
}

}  // namespace

std::string ComparisonHtml(const Comparison& comparison) {
  RowChoice choice;
  choice.most = kMostRowsOfPage;
  const Section fates = FatesSection(comparison);
  std::vector<PagePart> parts = {
      {"changes", "Changes", Changes(comparison)},
      {"steps", "Steps", StepChart(comparison)},
      {"fates", "Findings", HtmlPart("fates", fates.title, "", HtmlTable(fates))}};
  for (const Section& section : RowSections(comparison, choice))
    parts.push_back(
        {section.id, section.title, HtmlPart(section.id, section.title, "", HtmlTable(section))});
  parts.push_back({"notes", "Notes", Notes(comparison)});
  return HtmlPage("comparison: " + HtmlText(comparison.a.name) + ", " + HtmlText(comparison.b.name),
                  HeadOf(comparison), parts);
}

}  // namespace syncline
