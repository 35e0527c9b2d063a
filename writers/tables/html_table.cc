// SPDX-License-Identifier: Apache-2.0
// Cells that are sorted by their number carry it in data-v.
#include "writers/tables/html_table.h"

#include <algorithm>
#include <cstdio>

#include "writers/tables/html_text.h"

namespace syncline {

namespace {

constexpr size_t kTallRows = 40;
constexpr std::string_view kScroll = "<div class=\"scroll\"";
constexpr std::string_view kTall = "<div class=\"scroll tall\"";

}  // namespace

HtmlTable::HtmlTable(const char* label, const std::vector<HtmlColumn>& columns, size_t most)
    : most_(most) {
  html_ = std::string(kScroll) + " tabindex=\"0\" role=\"region\" aria-label=\"" + label +
          "\"><table class=\"data\"><thead><tr>";
  for (const HtmlColumn& column : columns) {
    html_ += column.number ? "<th scope=\"col\" class=\"n\"" : "<th scope=\"col\"";
    if (*column.hint != 0) html_ += std::string(" title=\"") + column.hint + "\"";
    html_ += std::string(">") + column.title + "</th>";
  }
  html_ += "</tr></thead><tbody>\n<tr>";
}

void HtmlTable::Text(std::string_view text) {
  html_ += "<td class=\"t\">" + HtmlText(text) + "</td>";
}

void HtmlTable::Code(std::string_view text) {
  html_ += "<td class=\"t code\"><code>" + HtmlText(text) + "</code></td>";
}

void HtmlTable::Number(double value, const std::string& shown) {
  char sorted_by[40];
  std::snprintf(sorted_by, sizeof(sorted_by), "%.9g", value);
  html_ += std::string("<td class=\"n\" data-v=\"") + sorted_by + "\">" + shown + "</td>";
}

void HtmlTable::Count(uint64_t count) { Number(static_cast<double>(count), HtmlCount(count)); }

void HtmlTable::Duration(uint64_t ns) { Number(static_cast<double>(ns), HtmlDuration(ns)); }

void HtmlTable::Percent(uint64_t part, uint64_t whole) {
  const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  Number(share, HtmlPercent(part, whole));
}

void HtmlTable::Unknown() { Number(-1, "?"); }

void HtmlTable::Html(const char* name, const std::string& html) {
  html_ += std::string("<td class=\"") + name + "\">" + html + "</td>";
}

void HtmlTable::EndRow() {
  html_ += "</tr>\n<tr>";
  ++rows_;
}

std::string HtmlTable::Take(size_t of) {
  html_.resize(html_.size() - 4);
  // Those have a fixed height, so that a browser need not lay out what nobody sees yet.
  if (rows_ > kTallRows) html_.replace(0, kScroll.size(), kTall);
  html_ += "</tbody></table></div>";
  if (of > rows_) {
    html_ += "<p class=\"note\">The first " + HtmlCount(rows_) + " of " + HtmlCount(of) +
             " rows; <code>syncline findings --all</code> and <code>report/</code> have the "
             "rest.</p>";
  }
  return html_;
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

std::string HtmlSection(const char* id, const char* title, const std::string& note,
                        const std::string& content) {
  std::string html = std::string("<section id=\"") + id + "\"><h2>" + title + "</h2>\n";
  if (!note.empty()) html += "<p class=\"note\">" + note + "</p>\n";
  return html + content + "</section>\n";
}

}  // namespace syncline
