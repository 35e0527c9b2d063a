// SPDX-License-Identifier: Apache-2.0
// Where a rank's numbers of steps only grow and few are missing, ranks are put together by number,
// else by order.
#include "writers/tables/step_map.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/stable_sort.h"
#include "writers/tables/html_text.h"

namespace syncline {
namespace {

constexpr size_t kMostMaps = 4;
constexpr size_t kMostMapRows = 1000;
constexpr size_t kMostColumns = 4000;
constexpr size_t kMostCells = 400000;   // of all maps
constexpr uint64_t kSparseNumbers = 4;  // numbers a step

using SeriesGroup = std::vector<const ReportSteps*>;

struct StepSpan {
  uint64_t first = UINT64_MAX;
  uint64_t last = 0;
  bool numbered = true;
};

bool NumbersGrow(const std::vector<Step>& steps) {
  return std::adjacent_find(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
           return a.number >= b.number;
         }) == steps.end();
}

StepSpan StepSpanOf(const SeriesGroup& group) {
  StepSpan span;
  uint64_t most = 0;
  for (const ReportSteps* series : group) {
    span.numbered = span.numbered && NumbersGrow(series->steps);
    most = std::max<uint64_t>(most, series->steps.size());
    for (const Step& step : series->steps) {
      span.first = std::min(span.first, step.number);
      span.last = std::max(span.last, step.number);
    }
  }
  if (!span.numbered || span.last - span.first >= kSparseNumbers * most)
    span = {0, most - 1, false};
  return span;
}

uint16_t MapCell(const StepMap& map, double ns) {
  if (map.high_ns <= map.low_ns) return 0;
  const auto low = static_cast<double>(map.low_ns);
  const double part =
      std::log(std::max(ns, low) / low) / std::log(static_cast<double>(map.high_ns) / low);
  return static_cast<uint16_t>(std::lround(std::clamp(part, 0.0, 1.0) * (kNoStepCell - 1)));
}

void AddMapRow(const ReportSteps& series, StepMap* map) {
  struct Sums {
    uint64_t count = 0;
    double total = 0;
    uint64_t longest = 0;
  };
  std::vector<Sums> sums(map->columns);
  for (size_t i = 0; i < series.steps.size(); ++i) {
    const uint64_t at = map->numbered ? series.steps[i].number - map->first : i;
    Sums& cell = sums[at / map->per];
    ++cell.count;
    cell.total += static_cast<double>(series.steps[i].duration_ns);
    cell.longest = std::max(cell.longest, series.steps[i].duration_ns);
  }
  for (const Sums& cell : sums) {
    const bool none = cell.count == 0;
    map->mean.push_back(none ? kNoStepCell
                             : MapCell(*map, cell.total / static_cast<double>(cell.count)));
    if (map->per > 1)
      map->longest.push_back(none ? kNoStepCell : MapCell(*map, static_cast<double>(cell.longest)));
  }
}

StepMap MapOf(SeriesGroup group, size_t most_cells) {
  StepMap map;
  map.name = group[0]->name;
  if (group.size() > kMostMapRows) {
    map.rows_left_out = group.size() - kMostMapRows;
    group.resize(kMostMapRows);
  }
  const StepSpan span = StepSpanOf(group);
  map.numbered = span.numbered;
  map.first = span.first;
  map.steps = span.last - span.first + 1;
  const uint64_t most = std::clamp<uint64_t>(most_cells / group.size(), 1, kMostColumns);
  map.per = (map.steps + most - 1) / most;
  map.columns = (map.steps + map.per - 1) / map.per;
  map.low_ns = UINT64_MAX;
  for (const ReportSteps* series : group) {
    for (const Step& step : series->steps) {
      map.low_ns = std::min(map.low_ns, std::max<uint64_t>(step.duration_ns, 1));
      map.high_ns = std::max(map.high_ns, step.duration_ns);
    }
  }
  for (const ReportSteps* series : group) {
    const auto same_rank = [&](const ReportSteps* other) { return other->rank == series->rank; };
    const bool several = std::count_if(group.begin(), group.end(), same_rank) > 1;
    map.rows.push_back(several ? series->rank + " (" + std::to_string(series->pid) + ")"
                               : series->rank);
    AddMapRow(*series, &map);
  }
  return map;
}

std::string CellsText(const std::vector<uint16_t>& cells) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  text.reserve(2 * cells.size() + 2);
  text += '"';
  for (const uint16_t cell : cells) {
    text += kDigits[cell >> 6];
    text += kDigits[cell & 63];
  }
  return text + '"';
}

}  // namespace

std::vector<StepMap> StepMaps(const Report& report) {
  std::map<std::string, SeriesGroup> by_name;
  std::map<std::string, double> cost;
  for (const ReportSteps& series : report.steps) {
    if (series.steps.empty()) continue;
    by_name[series.name].push_back(&series);
    for (const Step& step : series.steps)
      cost[series.name] += static_cast<double>(step.duration_ns);
  }
  std::vector<std::string> names;
  names.reserve(by_name.size());
  for (const auto& [name, group] : by_name) names.push_back(name);
  StableSort(&names, [&](const std::string& a, const std::string& b) { return cost[a] > cost[b]; });
  names.resize(std::min(names.size(), kMostMaps));
  std::vector<StepMap> maps;
  maps.reserve(names.size());
  for (const std::string& name : names)
    maps.push_back(MapOf(by_name[name], kMostCells / names.size()));
  return maps;
}

std::string StepMapsJson(const std::vector<StepMap>& maps) {
  std::string json = "{\"maps\":[";
  for (const StepMap& map : maps) {
    if (&map != &maps[0]) json += ',';
    json += "{\"name\":" + ScriptString(map.name);
    json += std::string(",\"numbered\":") + (map.numbered ? "true" : "false");
    // Numbers of steps may be beyond what a script's numbers hold: columns are counted from there.
    json += ",\"first\":\"" + std::to_string(map.first) + "\"";
    json += ",\"steps\":" + std::to_string(map.steps) + ",\"per\":" + std::to_string(map.per);
    json += ",\"columns\":" + std::to_string(map.columns);
    json += ",\"low\":" + std::to_string(map.low_ns) + ",\"high\":" + std::to_string(map.high_ns);
    json += ",\"rows\":[";
    for (size_t row = 0; row < map.rows.size(); ++row)
      json += (row == 0 ? "" : ",") + ScriptString(map.rows[row]);
    json += "],\"mean\":" + CellsText(map.mean) + ",\"longest\":" + CellsText(map.longest) + "}";
  }
  return json + "]}";
}

}  // namespace syncline
