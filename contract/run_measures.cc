// SPDX-License-Identifier: Apache-2.0
// Waits are counted in steps; launches are those of the whole run, shared out over its passes.
#include "contract/run_measures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "model/findings/step_label.h"
#include "report/words.h"

namespace syncline {
namespace {

// By line.
struct LineSums {
  uint64_t count = 0;
  std::string statement;
  std::set<std::string> ways;
};

void AddWaitLines(const RunFindings& findings, RunMeasures* run) {
  std::map<std::string, LineSums> ever;
  for (const auto& [key, sums] : findings.waits) {
    if (!CountsAsWait(key.wait_class)) continue;
    LineSums& line = ever[key.where.empty() ? kUnknownLine : key.where];
    line.count += sums.blocked.count;
    line.statement = std::max(line.statement, sums.statement);
    line.ways.insert(key.call);
  }
  const auto add = [&](const std::string& where, double value, std::vector<LineOfStep>* lines) {
    const LineSums& line = ever[where];
    lines->push_back(
        {where, line.statement, value, JoinNames({line.ways.begin(), line.ways.end()})});
  };
  for (const Measure& measure : run->measures) {
    if (measure.facts == FindMeasure("waits_per_step") && measure.of == MeasureOf::kLine)
      add(measure.where, measure.value, &run->waits);
  }
  for (const auto& [where, line] : ever)
    add(where, static_cast<double>(line.count), &run->waits_ever);
}

// How often each rank did what it does in a step: of the kind with most of them. Where steps are
// known by the optimizer, the first pass is no step, and is in the sums of the run.
double PassesIn(const RunFindings& findings) {
  double passes = 0;
  for (const auto& [name, part] : findings.ranks) {
    size_t most = 0;
    for (const StepSeries& series : part.steps) {
      const size_t first = series.name == kTrainingStep ? 1 : 0;
      most = std::max(most, series.steps.size() + first);
    }
    passes += static_cast<double>(most);
  }
  return passes;
}

// What one line submitted, by operator.
using Submitted = std::map<std::string, uint64_t>;

LineOfStep LineThatSubmits(const std::string& where, const Submitted& operators, double passes) {
  constexpr size_t kMostWays = 3;
  LineOfStep line{where};
  std::vector<std::pair<std::string, uint64_t>> most(operators.begin(), operators.end());
  StableSort(&most, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> ways;
  for (const auto& [name, count] : most) {
    const double of_step = static_cast<double>(count) / std::max(passes, 1.0);
    line.value += of_step;
    line.does += Text(name, " ", std::llround(of_step), " ");
    if (ways.size() < kMostWays) ways.push_back(name);
  }
  line.ways = JoinNames(ways);
  return line;
}

// Without what a program does once.
void AddLaunchLines(const RunFindings& findings, double passes, RunMeasures* run) {
  constexpr double kLeast = 0.5;
  std::map<std::string, Submitted> lines;
  for (const auto& [key, sums] : findings.operator_lines) {
    if (!key.by.empty() && sums.own.launched != 0) lines[key.by][key.of.name] += sums.own.launched;
  }
  for (const auto& [where, operators] : lines) {
    LineOfStep line = LineThatSubmits(where, operators, passes);
    if (line.value >= kLeast) run->launches.push_back(std::move(line));
  }
  StableSort(&run->launches,
             [](const LineOfStep& a, const LineOfStep& b) { return a.value > b.value; });
}

// All that findings name, each once.
void AddLines(const RunFindings& findings, RunMeasures* run) {
  std::set<std::string> lines;
  for (const auto& [key, sums] : findings.waits) lines.insert(key.where);
  for (const auto& [key, sums] : findings.operator_lines) lines.insert(key.by);
  for (const auto& [key, sums] : findings.gaps)
    lines.insert({key.lines.before, key.lines.next, key.lines.below});
  for (const auto& [key, sums] : findings.prices)
    lines.insert({key.where, key.before, key.below, key.caller});
  for (const auto& [key, sums] : findings.compilations) lines.insert(key.where);
  lines.erase("");
  run->lines.assign(lines.begin(), lines.end());
}

std::string_view TakeUntil(std::string_view text, std::string_view end) {
  return text.substr(0, text.find(end));
}

bool EndsWithPath(std::string_view path, std::string_view wanted) {
  return path == wanted ||
         (path.ends_with(wanted) && (path[path.size() - wanted.size() - 1] == '/'));
}

// "../sub/a.py" -> "sub/a.py".
std::string_view WithoutDots(std::string_view file) {
  for (const std::string_view dots : {"./", "../"}) {
    while (file.starts_with(dots)) file.remove_prefix(dots.size());
  }
  return file;
}

}  // namespace

RunMeasures RunMeasuresOf(const RunFindings& findings, const Report& report) {
  RunMeasures run;
  run.name = RunName(report);
  run.measures = MeasuresOf(findings, report);
  run.simulated = report.simulated;
  AddWaitLines(findings, &run);
  AddLaunchLines(findings, PassesIn(findings), &run);
  AddLines(findings, &run);
  std::map<std::string, uint64_t> kinds;
  for (const ReportSteps& series : report.steps) kinds[series.name] += series.steps.size();
  run.steps.assign(kinds.begin(), kinds.end());
  StableSort(&run.steps, [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const ReportStage& stage : report.stages) run.stages.push_back(stage.key.name);
  return run;
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
    if (file.substr(colon + 1) != place.lines) return false;
    file = file.substr(0, colon);
  }
  return IsFile(place.file, file);
}

bool IsFile(std::string_view known, std::string_view wanted) {
  // Whoever recorded may have been in a folder below the one that is named.
  known = WithoutDots(known);
  wanted = WithoutDots(wanted);
  return !known.empty() && !wanted.empty() &&
         (EndsWithPath(known, wanted) || EndsWithPath(wanted, known));
}

}  // namespace syncline
