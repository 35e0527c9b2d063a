// SPDX-License-Identifier: Apache-2.0
// Waits are counted in steps; launches are those of the whole run, shared out over the steps.
#include "contract/run_measures.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/words.h"

namespace syncline {
namespace {

struct LineSums {
  uint64_t count = 0;
  std::string statement;
  std::set<std::string> ways;

  void Add(const WaitKey& key, const WaitSums& sums, uint64_t times) {
    count += times;
    statement = std::max(statement, sums.statement);
    ways.insert(key.call);
  }
};

std::vector<LineOfStep> LinesOf(const std::map<std::string, LineSums>& sums, double steps) {
  std::vector<LineOfStep> lines;
  for (const auto& [where, of] : sums)
    lines.push_back({where, of.statement, static_cast<double>(of.count) / std::max(steps, 1.0),
                     JoinNames({of.ways.begin(), of.ways.end()})});
  StableSort(&lines, [](const LineOfStep& a, const LineOfStep& b) { return a.value > b.value; });
  return lines;
}

// Of all processes.
struct Steps {
  double steady = 0;
  double all = 0;
};

Steps StepsIn(const RunFindings& findings) {
  Steps steps;
  for (const auto& [name, part] : findings.ranks) {
    for (const StepSeries& series : part.steps) {
      if (series.ops.steps == 0) continue;
      steps.steady += static_cast<double>(series.ops.steps);
      steps.all += static_cast<double>(series.steps.size());
    }
  }
  return steps;
}

void AddWaitLines(const RunFindings& findings, double steps, RunMeasures* run) {
  std::map<std::string, LineSums> in_steps, ever;
  for (const auto& [key, sums] : findings.waits) {
    if (!CountsAsWait(key.wait_class)) continue;
    const std::string where = key.where.empty() ? "(line not known)" : key.where;
    ever[where].Add(key, sums, sums.blocked.count);
    if (sums.in_steps != 0) in_steps[where].Add(key, sums, sums.in_steps);
  }
  run->waits = LinesOf(in_steps, steps);
  run->waits_ever = LinesOf(ever, steps);
}

// What one line submitted, by operator.
using Submitted = std::map<std::string, uint64_t>;

LineOfStep LineThatSubmits(const std::string& where, const Submitted& operators, double steps) {
  constexpr size_t kMostWays = 3;
  LineOfStep line{where};
  std::vector<std::pair<std::string, uint64_t>> most(operators.begin(), operators.end());
  StableSort(&most, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> ways;
  for (const auto& [name, count] : most) {
    const double of_step = static_cast<double>(count) / std::max(steps, 1.0);
    line.value += of_step;
    line.does += Text(name, " ", std::llround(of_step), " ");
    if (ways.size() < kMostWays) ways.push_back(name);
  }
  line.ways = JoinNames(ways);
  return line;
}

// Without what a program does once.
void AddLaunchLines(const RunFindings& findings, double steps, RunMeasures* run) {
  constexpr double kLeast = 0.5;
  std::map<std::string, Submitted> lines;
  for (const auto& [key, sums] : findings.operator_lines) {
    if (!key.by.empty() && sums.own.launched != 0) lines[key.by][key.of.name] += sums.own.launched;
  }
  for (const auto& [where, operators] : lines) {
    LineOfStep line = LineThatSubmits(where, operators, steps);
    if (line.value >= kLeast) run->launches.push_back(std::move(line));
  }
  StableSort(&run->launches,
             [](const LineOfStep& a, const LineOfStep& b) { return a.value > b.value; });
}

std::string_view TakeUntil(std::string_view text, std::string_view end) {
  return text.substr(0, text.find(end));
}

bool EndsWithPath(std::string_view path, std::string_view wanted) {
  return path == wanted ||
         (path.ends_with(wanted) && (path[path.size() - wanted.size() - 1] == '/'));
}

}  // namespace

RunMeasures RunMeasuresOf(const RunFindings& findings, const Report& report) {
  RunMeasures run;
  run.name = RunName(report);
  run.measures = MeasuresOf(findings, report);
  run.simulated = report.simulated;
  const Steps steps = StepsIn(findings);
  AddWaitLines(findings, steps.steady, &run);
  AddLaunchLines(findings, steps.all, &run);
  for (const ReportStage& stage : report.stages) run.stages.push_back(stage.key.name);
  return run;
}

LinePlace PlaceOf(std::string_view where) {
  where = TakeUntil(where, ", in ");
  LinePlace place;
  const size_t colon = where.rfind(':', where.find(' '));
  if (colon == std::string_view::npos || where.find(' ') == std::string_view::npos) {
    place.function = where;
    return place;
  }
  const std::string_view number = TakeUntil(where.substr(colon + 1), " ");
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), place.line);
  if (error != std::errc() || end != number.data() + number.size()) {
    place.line = 0;
    place.function = where;
    return place;
  }
  place.file = where.substr(0, colon);
  place.function = where.substr(std::min(where.find(' ', colon) + 1, where.size()));
  return place;
}

bool IsLine(std::string_view where, std::string_view wanted) {
  if (where == wanted || TakeUntil(where, ", in ") == wanted) return true;
  const LinePlace place = PlaceOf(where);
  const auto is_function = [&](std::string_view name) {
    return !name.empty() && (place.function == name ||
                             (place.function.ends_with("()") &&
                              place.function.substr(0, place.function.size() - 2) == name));
  };
  if (is_function(wanted)) return true;
  const size_t blank = wanted.find(' ');
  std::string_view file = wanted.substr(0, blank);
  if (blank != std::string_view::npos && !is_function(wanted.substr(blank + 1))) return false;
  const size_t colon = file.rfind(':');
  if (colon != std::string_view::npos) {
    if (file.substr(colon + 1) != std::to_string(place.line)) return false;
    file = file.substr(0, colon);
  }
  return !place.file.empty() && !file.empty() && EndsWithPath(place.file, file);
}

}  // namespace syncline
