// SPDX-License-Identifier: Apache-2.0
// Sums over the runs, and each process by itself.
#include "offline/rank_manifest.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "inject/core/rank.h"
#include "inject/core/version.h"
#include "model/run/left_out.h"
#include "model/run/program_name.h"

namespace syncline {
namespace {

constexpr size_t kManifestAnchors = 64;
constexpr size_t kGateNames = 64;

// What is wrong with the records of a spool that could be read.
std::vector<std::string> DoubtsOf(const ProgramRun& run) {
  std::vector<std::string> doubts = DescribeDamage(run.damage);
  if (run.timeline.set_back()) {
    doubts.emplace_back(
        "the processors' time stamps were set back while it recorded (a suspend of the machine?): "
        "times of before and after are mixed; "
        "record with --clock monotonic");
  }
  for (std::string& text : LeftOutTexts(run)) doubts.push_back(std::move(text));
  if (const uint64_t unknown = run.losses[kLoss_unknown_kinds]; unknown != 0) {
    doubts.push_back(
        std::to_string(unknown) +
        " losses were counted by another version's table of kinds, so their kinds are not known");
  }
  run.sources.Each([&doubts](Source, const SourceRun& source) {
    if (!source.findings.missing.empty())
      doubts.push_back(std::string(kNotLookedFor) + source.findings.missing);
  });
  return doubts;
}

void AddCoverage(const ProgramRun& run, std::vector<ManifestCoverage>* out) {
  run.sources.Each([out](Source, const SourceRun& source) {
    for (const CoveragePeriod& period : source.coverage) {
      out->push_back({source.order == 0 ? "" : source.facts.name,
                      GpuCoverageName(period.coverage, source.facts.devices.interface), period.why,
                      period.begin_ns, period.end_ns});
    }
  });
}

void AddDevices(const ProgramRun& run, std::vector<ManifestDevice>* out) {
  run.sources.Each([out](Source, const SourceRun& source) {
    for (const auto& [number, info] : source.devices.infos) {
      out->push_back({source.facts.name, number, info.name, UuidText(info.facts.uuid),
                      PciText(info.facts.pci)});
    }
  });
}

ManifestGate GateOf(const ProgramRun& run) {
  ManifestGate gate;
  if (run.gate == nullptr) return gate;
  gate.gated = true;
  const uint64_t(&gated)[kGatedKinds] = run.survey.gated;
  gate.not_recorded = {gated[kGatedRanges], gated[kGatedCalls], gated[kGatedDeviceOps]};
  gate.outside = run.counts.outside;
  gate.steps = run.survey.steps;
  // What lies between the times in which nothing was recorded.
  uint64_t from = run.begin_ns;
  const auto add = [&](uint64_t until) {
    if (until <= from) return;
    ++gate.windows;
    gate.open_ns += until - from;
    if (gate.times.size() < kGateTimes) gate.times.emplace_back(from, until);
  };
  for (const CoverageGap& closed : run.closed) {
    add(closed.begin_ns);
    from = std::max(from, closed.end_ns);
  }
  add(run.end_ns);
  if (gate.windows != 0) return gate;
  for (const std::string& name : run.gate->range_names()) {
    if (gate.range_names.size() < kGateNames) gate.range_names.push_back(name);
  }
  return gate;
}

ManifestProcess Describe(const ProgramRun& run) {
  ManifestProcess process;
  process.pid = run.outer_pid;
  process.inner_pid = run.facts.pid;
  process.ppid = run.facts.ppid;
  process.name = run.name;
  process.command_line = CommandText(run.facts);
  process.arguments = ArgumentsOf(run.facts, &process.arguments_cut);
  process.executable = FieldText(run.facts.executable);
  process.host = FieldText(run.facts.host);
  process.begin_ns = run.begin_ns;
  process.end_ns = run.end_ns;
  process.end_known = run.end_known;
  static constexpr const char* kKinds[] = {"unknown", "running", "exited", "signaled"};
  process.exit_kind = kKinds[static_cast<size_t>(run.exit.kind)];
  process.exit_value = run.exit.value;
  process.exit_text = DescribeExit(run.exit);
  process.threads =
      static_cast<uint64_t>(std::count_if(run.survey.threads.begin(), run.survey.threads.end(),
                                          [](const auto& t) { return t.second.recorded; }));
  process.ranges = run.counts.ranges;
  process.ranges_closed = run.counts.closed;
  process.marks = run.counts.marks;
  process.calls = run.counts.calls;
  process.device_ops = run.counts.device_ops;
  process.steps = run.counts.steps;
  process.not_shown = {run.counts.ranges_not_shown, run.counts.calls_not_shown,
                       run.counts.device_ops_not_shown};
  process.gate = GateOf(run);
  process.record_bytes = run.survey.counters.ring_bytes;
  for (uint32_t kind = 0; kind < kLossKinds; ++kind) {
    if (run.losses[kind] != 0) process.losses[FactsOfLoss(kind).name] = run.losses[kind];
  }
  for (const DegradedFacts* step : DegradedSteps(run.survey.counters.degraded)) {
    process.degraded.emplace_back(step->name);
  }
  if (!run.problem.empty()) process.problems.push_back(run.problem);
  for (std::string& line : DoubtsOf(run)) process.problems.push_back(std::move(line));
  process.recorded_by = run.spool.empty() ? "none" : run.consumer == 0 ? "launcher" : "process";
  if (run.survey.has_process) process.segment_ns = run.survey.process.start.realtime_ns;
  static constexpr const char* kClocks[] = {"unknown", "tsc", "monotonic"};
  process.clock = kClocks[run.clock <= 2 ? run.clock : 0];
  process.clock_error_ns = run.clock_error_ns;
  if (run.survey.has_process) process.anchors.push_back(run.survey.process.consumer_start);
  const std::vector<Anchor>& anchors = run.survey.anchors;
  const size_t step = anchors.size() / (kManifestAnchors - 1) + 1;
  for (size_t i = 0; i < anchors.size(); i += step) process.anchors.push_back(anchors[i]);
  process.build = run.build;
  AddCoverage(run, &process.coverage);
  AddDevices(run, &process.devices);
  process.log = run.survey.log;
  return process;
}

}  // namespace

void CollectProblems(const RankModel& model, RankResult* result) {
  if (!model.base_problem.empty()) result->problems.push_back(model.base_problem);
  for (const auto& run : model.runs) {
    if (!run->problem.empty()) result->problems.push_back(run->problem);
    if (!run->spool.empty() && !run->readable()) result->unread.push_back(run->spool);
    for (const std::string& line : DoubtsOf(*run)) {
      result->problems.push_back(Text(run->name, " (", run->outer_pid, "): ", line));
    }
  }
}

void FillManifest(const RankModel& model, RankManifest* manifest) {
  manifest->rank = model.rank;
  manifest->world_size = model.world_size;
  manifest->host = FieldText(model.runs[0]->facts.host);
  manifest->version = kVersion;
  manifest->base_time = model.base;
  uint32_t launcher = 0;
  uint32_t degraded = 0;
  manifest->begin_ns = UINT64_MAX;
  for (const auto& run : model.runs) {
    manifest->processes.push_back(Describe(*run));
    const ManifestProcess& process = manifest->processes.back();
    if (launcher == 0) launcher = run->facts.rank.launcher;
    degraded |= run->survey.counters.degraded;
    manifest->begin_ns = std::min(manifest->begin_ns, process.begin_ns);
    manifest->end_ns = std::max(manifest->end_ns, process.end_ns);
    manifest->ranges += process.ranges;
    manifest->marks += process.marks;
    manifest->calls += process.calls;
    manifest->device_ops += process.device_ops;
    manifest->steps += process.steps;
    manifest->not_shown.Add(process.not_shown);
    manifest->not_recorded.Add(process.gate.not_recorded);
    manifest->clock_error_ns = std::max(manifest->clock_error_ns, process.clock_error_ns);
    for (const auto& [name, count] : process.losses) manifest->losses[name] += count;
  }
  manifest->events = manifest->ranges + manifest->marks + manifest->calls + manifest->device_ops;
  manifest->launcher = LauncherName(launcher);
  for (const DegradedFacts* step : DegradedSteps(degraded))
    manifest->degraded.emplace_back(step->name);
}

}  // namespace syncline
