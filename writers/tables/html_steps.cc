// SPDX-License-Identifier: Apache-2.0
// Ranks and steps: the place that the script draws on, and a table.
#include <algorithm>

#include "base/text.h"
#include "report/sections.h"
#include "writers/tables/html_parts.h"
#include "writers/tables/html_table.h"
#include "writers/tables/html_text.h"
#include "writers/tables/step_map.h"

namespace syncline {
namespace {

constexpr size_t kMostSeries = 1000;

// The page's style gives each its height, so that nothing moves when the script draws.
const char* HeightClass(size_t rows) {
  return rows <= 2 ? "low" : rows <= 8 ? "middle" : rows <= 64 ? "high" : "highest";
}

std::string MapNote(const std::vector<StepMap>& maps) {
  std::string note =
      "Each row is a rank, each column a step. Blue is shorter than the median step, orange and "
      "red are longer.";
  uint64_t per = 1;
  uint64_t left_out = 0;
  for (const StepMap& map : maps) {
    per = std::max(per, map.per);
    left_out += map.rows_left_out;
  }
  if (per > 1)
    note += " The run has more steps than this page keeps: up to " + CountText(per) +
            " steps in a row are one cell, of which their mean and their longest are known.";
  if (left_out != 0) note += " " + CountText(left_out) + " more rows are left out.";
  return note;
}

std::string MapControls(const std::vector<StepMap>& maps) {
  std::string html = "<div class=\"controls needs-script\">";
  html += maps.size() > 1 ? "<label>Steps <select id=\"map-name\">"
                          : "<label hidden>Steps <select id=\"map-name\">";
  for (size_t i = 0; i < maps.size(); ++i)
    html +=
        "<option value=\"" + std::to_string(i) + "\">" + HtmlText(maps[i].name, 80) + "</option>";
  const bool summed =
      std::any_of(maps.begin(), maps.end(), [](const StepMap& map) { return map.per > 1; });
  html += "</select></label>";
  html += summed ? "<label>Colour <select id=\"map-value\">"
                 : "<label hidden>Colour <select id=\"map-value\">";
  return html +
         "<option value=\"mean\">mean of a cell</option><option value=\"longest\">longest of a "
         "cell</option></select></label>"
         "<button type=\"button\" id=\"map-in\" aria-label=\"Zoom in\">+</button>"
         "<button type=\"button\" id=\"map-out\" aria-label=\"Zoom out\">\xe2\x88\x92</button>"
         "<button type=\"button\" id=\"map-all\">Whole run</button>"
         "<span class=\"note\">Drag to zoom; click, then use the wheel or + \xe2\x88\x92 and the "
         "arrow keys; Escape shows all.</span></div>";
}

std::string MapPlace(const std::vector<StepMap>& maps) {
  size_t rows = 0;
  for (const StepMap& map : maps) rows = std::max(rows, map.rows.size());
  return MapControls(maps) + "<div class=\"map " + HeightClass(rows) +
         "\"><canvas id=\"map\" tabindex=\"0\" role=\"img\" aria-label=\"Durations of steps by "
         "rank; the arrow keys read single cells\"></canvas><div id=\"map-tip\" "
         "role=\"status\"></div></div><div class=\"scale needs-script\"><span "
         "id=\"scale-low\"></span><span class=\"ramp\"></span><span id=\"scale-high\"></span>"
         "<span class=\"note\">median <b id=\"scale-middle\"></b></span></div><noscript><p "
         "class=\"note\">The map needs JavaScript; the table has its sums.</p></noscript>"
         "<script type=\"application/json\" id=\"map-data\">" +
         StepMapsJson(maps) + "</script>\n";
}

}  // namespace

std::string HtmlSteps(const Report& report) {
  const std::vector<StepMap> maps = StepMaps(report);
  if (maps.empty()) return "";
  const std::string outliers = HtmlTable(OutliersSection(report, {false, false, kMostSeries}));
  return HtmlPart("steps", "Ranks and steps", MapNote(maps),
                  MapPlace(maps) + HtmlTable(StepsSection(report, {false, false, kMostSeries})) +
                      (outliers.empty() ? "" : "<h3>Outliers</h3>" + outliers));
}

}  // namespace syncline
