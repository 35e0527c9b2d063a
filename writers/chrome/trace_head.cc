// SPDX-License-Identifier: Apache-2.0
// What a trace says of its rank and processes, as JSON.
#include "writers/chrome/trace_head.h"

#include <algorithm>

#include "inject/core/rank.h"
#include "inject/core/version.h"
#include "model/run/program_name.h"
#include "writers/chrome/text/json_object.h"

namespace syncline {
namespace {

std::string Micros(uint64_t ns) {
  char text[kMaxNumberChars];
  return {text, PutMicros(text, ns)};
}

std::string LossesJson(const LossCounts& losses) {
  JsonObject object;
  for (uint32_t kind = 0; kind < kLossKinds; ++kind) {
    if (losses[kind] != 0) object.Uint(FactsOfLoss(kind).name, losses[kind]);
  }
  return object.Take();
}

std::string ClockJson(const ProgramRun& run) {
  JsonObject object;
  const bool tsc = run.clock == static_cast<uint32_t>(ClockId::kTsc);
  const bool monotonic = run.clock == static_cast<uint32_t>(ClockId::kMonotonic);
  object.Text("source", tsc ? "tsc" : monotonic ? "monotonic" : "unknown");
  if (!run.readable()) return object.Take();
  object.Uint("anchors", run.timeline.anchors_used()).Uint("error_ns", run.clock_error_ns);
  if (run.timeline.namespace_offset_ns() != 0) {
    object.Int("time_namespace_offset_ns", run.timeline.namespace_offset_ns());
  }
  return object.Take();
}

std::string DeviceClockJson(const ProgramRun& run, const SourceRun& source) {
  JsonObject object;
  size_t readings = 0;
  for (const auto& [number, of_clock] : source.devices.clocks) readings += of_clock.size();
  object.Text("source", source.facts.devices.interface).Uint("readings", readings);
  object.Uint("error_ns", source.clocks.ErrorNs() + run.clock_error_ns);
  if (source.clocks.steps() != 0) object.Uint("steps", source.clocks.steps());
  return object.Take();
}

// An object if one source has a clock, an array of objects if several have; empty: none has.
std::string DeviceClocksJson(const ProgramRun& run) {
  std::string array;
  int count = 0;
  run.sources.Each([&](Source, const SourceRun& source) {
    if (!source.clocks.valid()) return;
    AppendElement(&array, DeviceClockJson(run, source));
    ++count;
  });
  return count > 1 ? "[" + array + "]" : array;
}

// How long each period was and why; when, is a slice on the process's row.
std::string CoverageJson(const ProgramRun& run, const RankModel& model) {
  std::string array;
  run.sources.Each([&](Source, const SourceRun& source) {
    for (const CoveragePeriod& period : source.coverage) {
      JsonObject object;
      object.Text("recorded", GpuCoverageName(period.coverage, source.facts.devices.interface));
      if (source.order != 0) object.Text("source", source.facts.name);
      if (!period.why.empty()) object.Text("why", period.why);
      object.Raw("begin_us", Micros(period.begin_ns - std::min(period.begin_ns, model.base.ns)));
      object.Raw("dur_us", Micros(period.end_ns - period.begin_ns));
      AppendElement(&array, object.Take());
    }
  });
  return array;
}

// What was not looked for, by all sources.
std::string Missing(const ProgramRun& run) {
  std::string missing;
  run.sources.Each([&](Source, const SourceRun& source) {
    if (source.findings.missing.empty()) return;
    if (!missing.empty()) missing.append("; ");
    if (source.order != 0) missing.append(source.facts.name).append(": ");
    missing += source.findings.missing;
  });
  return missing;
}

const char* TierName(const ProgramRun& run) {
  if (run.spool.empty()) return "none";
  return run.consumer == 0 ? "launcher" : "process";
}

std::string RunJson(const ProgramRun& run, const RankModel& model, const TraceLayout& layout) {
  JsonObject object;
  object.Text("name", run.name).Int("pid", run.outer_pid);
  if (run.facts.pid != run.outer_pid && run.facts.pid != 0) object.Int("inner_pid", run.facts.pid);
  object.Text("exit", DescribeExit(run.exit)).Text("recorded_by", TierName(run));
  object.Raw("clock", ClockJson(run));
  const std::string clocks = DeviceClocksJson(run);
  if (!clocks.empty()) object.Raw("device_clock", clocks);
  const std::string missing = Missing(run);
  if (!missing.empty()) object.Text("missing", missing);
  uint64_t left_out = 0;
  run.sources.Each(
      [&](Source, const SourceRun& source) { left_out += layout.ranges[source.number].left_out; });
  if (left_out != 0) object.Uint("gpu_ranges_left_out", left_out);
  const std::string coverage = CoverageJson(run, model);
  if (!coverage.empty()) object.Raw("gpu", "[" + coverage + "]");
  if (TotalLosses(run.losses) != 0) object.Raw("losses", LossesJson(run.losses));
  const Survey& survey = run.survey;
  if (run.readable() && survey.has_counters && run.timeline.ticks_per_second() > 0) {
    const double us =
        static_cast<double>(survey.counters.self_ticks) / run.timeline.ticks_per_second() * 1e6;
    object.Uint("slow_path_us", us < 1e15 ? static_cast<uint64_t>(us) : 0);
  }
  if (survey.has_counters) object.Uint("record_bytes", survey.counters.ring_bytes);
  std::string lines;
  auto add = [&lines](std::string_view line) {
    std::string quoted;
    AppendString(&quoted, line);
    AppendElement(&lines, quoted);
  };
  for (const DegradedFacts* step : DegradedSteps(survey.counters.degraded)) add(step->name);
  if (!lines.empty()) object.Raw("degraded", "[" + lines + "]");
  lines.clear();
  if (!run.problem.empty()) add(run.problem);
  for (const std::string& line : DescribeDamage(run.damage)) add(line);
  if (run.readable() && !survey.has_end)
    add("the spool has no end: recording stopped before the process did");
  if (!lines.empty()) object.Raw("spool_damage", "[" + lines + "]");
  return object.Take();
}

std::string ResourcesJson(const RankModel& model) {
  std::string array;
  for (const auto& run : model.runs) {
    for (const NamedResource& resource : run->survey.resources) {
      std::string identifier;
      AppendHex(&identifier, resource.identifier);
      JsonObject object;
      object.Int("pid", run->outer_pid)
          .Uint("type", resource.type)
          .Raw("id", identifier)
          .Text("name", resource.name);
      AppendElement(&array, object.Take());
    }
  }
  return array;
}

// As Kineto writes them; what the vendor did not tell is 0. The id is the pid of the device's rows.
std::string DevicePropertiesJson(const TraceLayout& layout) {
  std::string array;
  for (const auto& [pid, info] : layout.gpu_rows.devices()) {
    const DeviceFacts& facts = info.facts;
    JsonObject object;
    object.Uint("id", pid).Text("name", info.name).Uint("totalGlobalMem", facts.memory);
    object.Uint("computeMajor", facts.major).Uint("computeMinor", facts.minor);
    object.Uint("maxThreadsPerBlock", facts.threads_per_block)
        .Uint("maxThreadsPerMultiprocessor", facts.threads_per_multiprocessor)
        .Uint("regsPerBlock", facts.registers_per_block)
        .Uint("warpSize", facts.warp)
        .Uint("sharedMemPerBlock", facts.shared_per_block)
        .Uint("numSms", facts.multiprocessors)
        .Uint("regsPerMultiprocessor", facts.registers_per_multiprocessor)
        .Uint("sharedMemPerMultiprocessor", facts.shared_per_multiprocessor);
    AppendElement(&array, object.Take());
  }
  return array;
}

std::string MetadataJson(const RankModel& model, const TraceLayout& layout,
                         const EventFilter& shown) {
  LossCounts losses{};
  uint32_t degraded = 0;
  uint64_t error = 0;
  uint32_t launcher = 0;
  std::string runs;
  for (const auto& run : model.runs) {
    for (uint32_t kind = 0; kind < kLossKinds; ++kind) losses[kind] += run->losses[kind];
    degraded |= run->survey.counters.degraded;
    error = std::max(error, run->clock_error_ns);
    if (launcher == 0) launcher = run->facts.rank.launcher;
    AppendElement(&runs, RunJson(*run, model, layout));
  }
  std::string steps;
  for (const DegradedFacts* step : DegradedSteps(degraded)) {
    AppendElement(&steps, std::string("\"") + step->name + "\"");
  }
  JsonObject object;
  object.Text("tool", "syncline").Text("version", kVersion);
  object.Text("host", FieldText(model.runs[0]->facts.host))
      .Text("launcher", LauncherName(launcher));
  object.Uint("records_lost", TotalLosses(losses)).Raw("losses", LossesJson(losses));
  object.Raw("degraded", "[" + steps + "]").Uint("clock_error_ns", error);
  std::string unrecorded;
  for (const std::string& sentence : model.unrecorded) {
    std::string quoted;
    AppendString(&quoted, sentence);
    AppendElement(&unrecorded, quoted);
  }
  if (!unrecorded.empty()) object.Raw("unrecorded", "[" + unrecorded + "]");
  object.Text("base_time_from", BaseFromName(model.base.from));
  if (shown.min_duration_ns != 0) object.Uint("min_duration_ns", shown.min_duration_ns);
  if (!shown.kernels.empty()) object.Text("kernels", shown.kernels);
  object.Raw("processes", "[" + runs + "]");
  const std::string resources = ResourcesJson(model);
  if (!resources.empty()) object.Raw("resources", "[" + resources + "]");
  return object.Take();
}

}  // namespace

std::string TraceHead(const RankModel& model, const TraceLayout& layout, const EventFilter& shown) {
  JsonObject distributed;
  distributed.Int("rank", std::max(model.told_rank, 0));
  if (model.world_size > 0) distributed.Int("world_size", model.world_size);
  std::string host;
  AppendString(&host, FieldText(model.runs[0]->facts.host));
  std::string head = "{\n\"schemaVersion\": 1";
  const std::string devices = DevicePropertiesJson(layout);
  if (!devices.empty()) head += ",\n\"deviceProperties\": [" + devices + "]";
  head += ",\n\"distributedInfo\": " + distributed.Take();
  head += ",\n\"host_name\": " + host;
  head += ",\n\"metadata\": " + MetadataJson(model, layout, shown);
  head +=
      ",\n\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": " + std::to_string(model.base.ns);
  return head + ",\n\"traceEvents\": [\n";
}

std::string TraceFoot(std::string_view name, const StackFrames& stacks) {
  std::string foot = "\n],\n";
  if (!stacks.empty()) foot += "\"stackFrames\": " + stacks.Json() + ",\n";
  foot += "\"traceName\": ";
  AppendString(&foot, name);
  return foot + "\n}\n";
}

}  // namespace syncline
