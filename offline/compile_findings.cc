// SPDX-License-Identifier: Apache-2.0
// A compilation is of the step in which it began: the thread that runs into it waits for its end.
#include "offline/compile_findings.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/stable_sort.h"
#include "base/text.h"

namespace syncline {
namespace {

constexpr size_t kMostKeys = 1000;
constexpr char kOthers[] = "(others)";
constexpr uint64_t kToldErrorNs = 1'000'000;

void AddSums(const CompiledRun& run, const OwnCode& own, RunFindings* findings) {
  for (const Compilation& compilation : run.compilations) {
    const CompileEvent& event = compilation.event;
    CompileKey key{run.source, event.kind, CompiledWhere(event, own), event.why};
    if (findings->compilations.size() >= kMostKeys && !findings->compilations.contains(key))
      key.where = key.why = kOthers;
    findings->compilations[key].Add(event.ns);
  }
  for (const CompiledPart& part : run.parts) {
    CompiledKey key{run.source, part.kind, part.name, OperatorsText(part), LinesText(part, own)};
    if (findings->compiled.size() >= kMostKeys && !findings->compiled.contains(key)) {
      key.name = kOthers;
      key.operators = key.lines = "";
    }
    findings->compiled[key].Add(part.graph);
  }
}

// Of several series of a process that with the most steps.
const StepSeries* SeriesOfProcess(const RankPart& part, int32_t pid) {
  const StepSeries* most = nullptr;
  for (const StepSeries& series : part.steps) {
    if (series.pid == pid && (most == nullptr || series.steps.size() > most->steps.size()))
      most = &series;
  }
  return most;
}

struct InStep {
  CompileStep told;
  uint64_t longest_ns = 0;
  std::vector<std::pair<uint64_t, uint64_t>> periods{};
};

void Count(const Compilation& compilation, const OwnCode& own, InStep* step) {
  const CompileEvent& event = compilation.event;
  ++step->told.count;
  step->told.again += event.kind == CompileKind::kAgain;
  step->periods.emplace_back(event.begin_ns, compilation.end_ns);
  if (!step->told.what.empty() && event.ns <= step->longest_ns) return;
  step->longest_ns = event.ns;
  step->told.what = CompiledWhere(event, own);
  if (event.kind != CompileKind::kFirst) step->told.what += Text(", ", CompileKindName(event.kind));
  step->told.why = event.why;
}

// Periods of several threads may lie in each other.
uint64_t TogetherNs(std::vector<std::pair<uint64_t, uint64_t>> periods, uint64_t begin_ns,
                    uint64_t end_ns) {
  std::sort(periods.begin(), periods.end());
  uint64_t together = 0, until = begin_ns;
  for (auto [begin, end] : periods) {
    begin = std::max(begin, until);
    end = std::min(end, end_ns);
    if (end <= begin) continue;
    together += end - begin;
    until = end;
  }
  return together;
}

// The step that has half of it or, if none has, in which it began; from 1, 0: none. A step goes on
// until its devices are done, while the thread compiles the next one's functions already.
size_t PlaceAmong(const std::vector<Step>& steps, const Compilation& compilation) {
  const uint64_t begin = compilation.event.begin_ns, end = std::max(compilation.end_ns, begin + 1);
  auto step = std::upper_bound(steps.begin(), steps.end(), begin,
                               [](uint64_t at, const Step& other) { return at < other.begin_ns; });
  if (step != steps.begin()) --step;
  size_t place = 0;
  for (; step != steps.end() && step->begin_ns < end; ++step) {
    const uint64_t from = std::max(begin, step->begin_ns);
    const uint64_t to = std::min(end, step->begin_ns + step->duration_ns);
    if (to <= from) continue;
    const size_t here = static_cast<size_t>(step - steps.begin()) + 1;
    if (2 * (to - from) >= end - begin) return here;
    if (from == begin) place = here;
  }
  return place;
}

void AddSteps(const ProgramRun& run, const OwnCode& own, RankPart* part) {
  const StepSeries* const series = SeriesOfProcess(*part, run.outer_pid);
  if (series == nullptr) return;
  std::vector<Step> steps = series->steps;
  std::sort(steps.begin(), steps.end());
  std::map<size_t, InStep> in_steps;  // by index + 1; 0: outside of all
  for (const Compilation& compilation : run.compiled->compilations) {
    if (compilation.event.kind == CompileKind::kBreak || compilation.event.begin_ns == 0) continue;
    Count(compilation, own, &in_steps[PlaceAmong(steps, compilation)]);
  }
  for (auto& [place, in] : in_steps) {
    uint64_t begin_ns = 0, end_ns = UINT64_MAX;
    in.told.pid = run.outer_pid;
    if (place != 0) {
      const Step& step = steps[place - 1];
      in.told.steps = series->name;
      in.told.number = step.number;
      in.told.begin_ns = step.begin_ns;
      in.told.duration_ns = step.duration_ns;
      begin_ns = step.begin_ns;
      end_ns = step.begin_ns + step.duration_ns;
    }
    in.told.compile_ns = TogetherNs(std::move(in.periods), begin_ns, end_ns);
    part->compile_steps.push_back(std::move(in.told));
  }
}

void TellErrors(const ProgramRun& run, RankPart* part) {
  uint64_t error_ns = 0;
  for (const Compilation& compilation : run.compiled->compilations)
    error_ns = std::max(error_ns, compilation.error_ns);
  if (error_ns < kToldErrorNs) return;
  part->problems.push_back(Text(
      run.name, " (", run.outer_pid, "): the clock of the machine was set ",
      "while it compiled: where compilations lie in time may be off by ", DurationText(error_ns)));
}

}  // namespace

void AddCompilations(const RankModel& model, RunFindings* findings, RankPart* part) {
  for (const auto& run : model.runs) {
    if (run->compiled == nullptr) continue;
    AddSums(*run->compiled, model.own, findings);
    AddSteps(*run, model.own, part);
    TellErrors(*run, part);
  }
  std::vector<CompileStep>& steps = part->compile_steps;
  StableSort(&steps, [](const CompileStep& a, const CompileStep& b) {
    return a.compile_ns > b.compile_ns;
  });
  if (steps.size() <= kMostCompileSteps) return;
  part->problems.push_back(Text(CountText(steps.size() - kMostCompileSteps),
                                " steps with compilations not told one by one"));
  steps.resize(kMostCompileSteps);
}

}  // namespace syncline
