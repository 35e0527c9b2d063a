// SPDX-License-Identifier: Apache-2.0
// Cells that are sorted by their number carry it in data-v.
#include "writers/tables/html_table.h"

#include <algorithm>
#include <cstdio>
#include <variant>

#include "base/text.h"
#include "writers/tables/html_text.h"

namespace syncline {

namespace {

constexpr size_t kTallRows = 40;

bool IsText(ValueKind kind) { return kind == ValueKind::kText || kind == ValueKind::kCode; }

// What a row is sorted by.
struct SortKey {
  double operator()(Nothing) const { return 0; }
  double operator()(Unknown) const { return -1; }
  double operator()(const std::string&) const { return 0; }
  double operator()(bool yes) const { return yes ? 1 : 0; }
  double operator()(const Worded& told) const { return told.number; }
  template <typename Number>
  double operator()(Number number) const {
    return static_cast<double>(number);
  }
};

std::string Cell(const Value& value, ValueKind kind) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (kind == ValueKind::kCode)
      return Text("<td class=\"t code\"><code>", HtmlText(*text), "</code></td>");
    return Text("<td class=\"t\">", HtmlText(*text), "</td>");
  }
  const bool worded = std::holds_alternative<Worded>(value);
  if (IsText(kind) && !worded) return Text("<td class=\"t\">", ValueText(value, kind), "</td>");
  char sorted_by[40];
  std::snprintf(sorted_by, sizeof(sorted_by), "%.9g", std::visit(SortKey{}, value));
  return Text("<td class=\"n\" data-v=\"", sorted_by, "\">",
              worded ? HtmlText(ValueText(value, kind)) : ValueText(value, kind), "</td>");
}

std::string Head(const char* head, const char* hint, bool number) {
  const std::string title = *hint == 0 ? "" : Text(" title=\"", HtmlText(hint), "\"");
  return Text("<th scope=\"col\"", number ? " class=\"n\"" : "", title, ">", head, "</th>");
}

}  // namespace

std::string HtmlTable(const Section& section, const HtmlColumn& more, ColumnPlace place) {
  if (section.rows.empty()) return "";
  const std::vector<size_t> columns = ColumnsFor(section, place);
  // Those have a fixed height, so that a browser need not lay out what nobody sees yet.
  const char* const tall = section.rows.size() > kTallRows ? " tall" : "";
  std::string html =
      Text("<div class=\"scroll", tall, "\" tabindex=\"0\" role=\"region\" aria-label=\"",
           section.title, "\"><table class=\"data\"><thead><tr>");
  for (size_t i = 0; i < columns.size(); ++i) {
    if (more.cell && i == more.before) html += Head(more.head, more.hint, false);
    const Column& column = section.columns[columns[i]];
    const bool number =
        !IsText(column.kind) || std::holds_alternative<Worded>(section.rows[0][columns[i]]);
    html += Head(column.head, column.hint, number);
  }
  html += "</tr></thead><tbody>\n";
  for (size_t row = 0; row < section.rows.size(); ++row) {
    html += "<tr>";
    for (size_t i = 0; i < columns.size(); ++i) {
      if (more.cell && i == more.before)
        html += Text("<td class=\"wide\">", more.cell(row), "</td>");
      html += Cell(section.rows[row][columns[i]], section.columns[columns[i]].kind);
    }
    html += "</tr>\n";
  }
  html += "</tbody></table></div>";
  if (section.rows.size() < section.of) {
    html += Text("<p class=\"note\">The first ", CountText(section.rows.size()), " of ",
                 CountText(section.of),
                 " rows; <code>syncline report --all</code> and <code>report/</code> have the "
                 "rest.</p>");
  }
  return html;
}

std::string HtmlBar(const std::vector<BarPart>& parts, uint64_t whole, const std::string& label) {
  constexpr double kWidth = 1000;
  std::string html =
      "<svg class=\"bar\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"" +
      label + "\">";
  double at = 0;
  for (const BarPart& part : parts) {
    if (part.value == 0 || whole == 0) continue;
    const double width = std::min(
        kWidth * static_cast<double>(part.value) / static_cast<double>(whole), kWidth - at);
    if (width < 0.5) continue;
    html += std::string("<rect class=\"") + part.name + "\" x=\"" + HtmlNumber(at, 1) +
            "\" width=\"" + HtmlNumber(width, 1) + "\" height=\"10\"/>";
    at += width;
  }
  return html + "</svg>";
}

std::string HtmlPart(const char* id, const char* title, const std::string& note,
                     const std::string& content) {
  if (content.empty()) return "";
  return Text("<section id=\"", id, "\"><h2>", title, "</h2>\n",
              note.empty() ? "" : Text("<p class=\"note\">", note, "</p>\n"), content,
              "</section>\n");
}

}  // namespace syncline
