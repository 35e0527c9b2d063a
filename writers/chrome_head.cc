// SPDX-License-Identifier: Apache-2.0
// Text of everything in a trace that is not a range or a mark.
#include "writers/chrome_head.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "inject/core/rank.h"
#include "inject/core/version.h"
#include "writers/json_object.h"
#include "writers/program_name.h"

namespace syncline {
namespace {

constexpr int32_t kFirstLaneOrder = 1 << 30;

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

std::string ClockJson(const Image& image) {
  JsonObject object;
  const bool tsc = image.clock == static_cast<uint32_t>(ClockId::kTsc);
  const bool monotonic = image.clock == static_cast<uint32_t>(ClockId::kMonotonic);
  object.Text("source", tsc ? "tsc" : monotonic ? "monotonic" : "unknown");
  if (!image.readable()) return object.Take();
  object.Uint("anchors", image.timeline.anchors_used()).Uint("error_ns", image.clock_error_ns);
  if (image.timeline.namespace_offset_ns() != 0) {
    object.Int("time_namespace_offset_ns", image.timeline.namespace_offset_ns());
  }
  return object.Take();
}

std::string DeviceClockJson(const Image& image) {
  JsonObject object;
  object.Text("source", "cupti").Uint("readings", image.survey.gpu.clocks.size());
  object.Uint("error_ns", image.device_timeline.ErrorNs() + image.clock_error_ns);
  if (image.device_timeline.steps() != 0) object.Uint("steps", image.device_timeline.steps());
  return object.Take();
}

// How long each period was and why; when, is a slice on the process's row.
std::string GpuPeriodsJson(const Image& image, const RankPlan& plan) {
  std::string array;
  for (const GpuPeriod& period : image.gpu_periods) {
    JsonObject object;
    object.Text("recorded", GpuModeName(period.mode));
    if (!period.why.empty()) object.Text("why", period.why);
    object.Raw("begin_us", Micros(period.begin_ns - std::min(period.begin_ns, plan.base.ns)));
    object.Raw("dur_us", Micros(period.end_ns - period.begin_ns));
    AppendElement(&array, object.Take());
  }
  return "[" + array + "]";
}

// sigabbrev_np is younger than the C library that we promise to run with.
std::string SignalName(int signal) {
  static constexpr const char* kNames[] = {"",     "HUP",  "INT",    "QUIT", "ILL",  "TRAP", "ABRT",
                                           "BUS",  "FPE",  "KILL",   "USR1", "SEGV", "USR2", "PIPE",
                                           "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP",
                                           "TTIN", "TTOU", "URG",    "XCPU", "XFSZ"};
  const std::string number = std::to_string(signal);
  const bool known = signal > 0 && static_cast<size_t>(signal) < std::size(kNames);
  return known ? number + " (" + kNames[signal] + ")" : number;
}

const char* TierName(const Image& image) {
  if (image.spool.empty()) return "none";
  return image.consumer == 0 ? "launcher" : "process";
}

std::string ImageJson(const Image& image, const RankPlan& plan) {
  JsonObject object;
  object.Text("name", image.name).Int("pid", image.outer_pid);
  if (image.facts.pid != image.outer_pid && image.facts.pid != 0)
    object.Int("inner_pid", image.facts.pid);
  object.Text("exit", DescribeExit(image.exit)).Text("recorded_by", TierName(image));
  object.Raw("clock", ClockJson(image));
  if (image.device_timeline.valid()) object.Raw("device_clock", DeviceClockJson(image));
  if (!image.derived.missing.empty()) object.Text("missing", image.derived.missing);
  if (image.gpu_ranges.left_out != 0) object.Uint("gpu_ranges_left_out", image.gpu_ranges.left_out);
  if (!image.gpu_periods.empty()) object.Raw("gpu", GpuPeriodsJson(image, plan));
  if (TotalLosses(image.losses) != 0) object.Raw("losses", LossesJson(image.losses));
  const Survey& survey = image.survey;
  if (image.readable() && survey.has_counters && image.timeline.ticks_per_second() > 0) {
    const double us =
        static_cast<double>(survey.counters.self_ticks) / image.timeline.ticks_per_second() * 1e6;
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
  if (!image.problem.empty()) add(image.problem);
  for (const std::string& line : DescribeDamage(image.damage)) add(line);
  if (image.readable() && !survey.has_end)
    add("the spool has no end: recording stopped before the process did");
  if (!lines.empty()) object.Raw("spool_damage", "[" + lines + "]");
  return object.Take();
}

std::string ResourcesJson(const RankPlan& plan) {
  std::string array;
  for (const auto& image : plan.images) {
    for (const NamedResource& resource : image->survey.resources) {
      std::string identifier;
      AppendHex(&identifier, resource.identifier);
      JsonObject object;
      object.Int("pid", image->outer_pid)
          .Uint("type", resource.type)
          .Raw("id", identifier)
          .Text("name", resource.name);
      AppendElement(&array, object.Take());
    }
  }
  return array;
}

// As Kineto writes them; what CUPTI did not tell is 0.
std::string DevicePropertiesJson(const RankPlan& plan) {
  std::string array;
  for (const auto& [device, info] : plan.gpu_rows.devices()) {
    const DeviceFacts& facts = info.facts;
    JsonObject object;
    object.Uint("id", device).Text("name", info.name).Uint("totalGlobalMem", facts.memory);
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

std::string MetadataJson(const RankPlan& plan) {
  LossCounts losses{};
  uint32_t degraded = 0;
  uint64_t error = 0;
  uint32_t launcher = 0;
  std::string images;
  for (const auto& image : plan.images) {
    for (uint32_t kind = 0; kind < kLossKinds; ++kind) losses[kind] += image->losses[kind];
    degraded |= image->survey.counters.degraded;
    error = std::max(error, image->clock_error_ns);
    if (launcher == 0) launcher = image->facts.rank.launcher;
    AppendElement(&images, ImageJson(*image, plan));
  }
  std::string steps;
  for (const DegradedFacts* step : DegradedSteps(degraded)) {
    AppendElement(&steps, std::string("\"") + step->name + "\"");
  }
  JsonObject object;
  object.Text("tool", "syncline").Text("version", kVersion);
  object.Text("host", FieldText(plan.images[0]->facts.host))
      .Text("launcher", LauncherName(launcher));
  object.Uint("records_lost", TotalLosses(losses)).Raw("losses", LossesJson(losses));
  object.Raw("degraded", "[" + steps + "]").Uint("clock_error_ns", error);
  object.Text("base_time_from", BaseFromName(plan.base.from));
  object.Raw("processes", "[" + images + "]");
  const std::string resources = ResourcesJson(plan);
  if (!resources.empty()) object.Raw("resources", "[" + resources + "]");
  return object.Take();
}

// Writes M, X and i events that come once.
class Writer {
 public:
  Writer(const RankPlan& plan, TimeUnit unit, EventBuffer* out)
      : plan_(plan), unit_(unit), time_{unit, plan.base.ns}, out_(out) {}

  void ProcessRows(const Image& image);
  void ThreadRows(const Image& image);
  void ExtraRows(const Image& image);
  void DerivedRows(const Image& image);
  // `last`: the image that ends the same program's life.
  void Life(const Image& image, const Image& last);
  void Losses(const Image& image, uint64_t at_ns);
  void GpuPeriods(const Image& image);
  void GpuRows();

 private:
  void Line(std::string_view event) {
    if (!first_) out_->Append(",\n");
    first_ = false;
    out_->Append(event);
  }
  void Meta(const char* kind, uint32_t pid, uint32_t tid, const JsonObject& args) {
    std::string line = std::string("{\"ph\": \"M\", \"name\": \"") + kind + "\", \"pid\": ";
    AppendUint(&line, pid);
    line.append(", \"tid\": ");
    AppendUint(&line, tid);
    line.append(unit_ == TimeUnit::kNs ? ", \"ts\": 0.000, \"args\": " : ", \"ts\": 0, \"args\": ");
    Line(line.append(args.Take()).append("}"));
  }
  void Row(const Image& image, uint32_t tid, std::string_view name, int64_t order) {
    if (!rows_.insert({image.rows.pid, tid}).second) return;
    Meta("thread_name", image.rows.pid, tid, JsonObject().Text("name", name));
    Meta("thread_sort_index", image.rows.pid, tid, JsonObject().Int("sort_index", order));
  }
  // On the row of the process itself, up to `ts`.
  static std::string OnProcess(const Image& image, const char* head, std::string_view name) {
    std::string line = head;
    AppendString(&line, name);
    line.append(", \"pid\": ");
    AppendUint(&line, image.rows.pid);
    line.append(", \"tid\": ");
    AppendUint(&line, image.rows.Process());
    return line.append(", \"ts\": ");
  }
  std::string ProcessSlice(const Image& image, std::string_view name, uint64_t begin,
                           uint64_t end) const {
    std::string line = OnProcess(image, "{\"ph\": \"X\", \"cat\": \"process\", \"name\": ", name);
    time_.AppendSpan(&line, std::max(begin, plan_.base.ns), std::max(end, plan_.base.ns));
    return line;
  }

  const RankPlan& plan_;
  TimeUnit unit_;
  TimeText time_;
  EventBuffer* out_;
  bool first_ = true;
  std::set<std::pair<uint32_t, uint32_t>> rows_;
};

void Writer::ProcessRows(const Image& image) {
  const uint32_t pid = image.rows.pid;
  std::string name = plan_.rank >= 0 ? "rank " + std::to_string(plan_.rank) + ": " : std::string();
  Meta("process_name", pid, 0, JsonObject().Text("name", name + image.name));
  std::string labels = "CPU";
  if (static_cast<uint32_t>(image.outer_pid) != pid)
    labels += ", pid " + std::to_string(image.outer_pid);
  Meta("process_labels", pid, 0, JsonObject().Text("labels", labels));
  Meta("process_sort_index", pid, 0, JsonObject().Uint("sort_index", pid));
  Row(image, image.rows.Process(), "process", 0);
}

// GPUs stand below the processes: their pids are small, their order is that of Kineto.
void Writer::GpuRows() {
  constexpr int64_t kFirstGpuOrder = 5000000;
  constexpr int64_t kOverheadOrder = 0x100000A;
  std::set<uint32_t> devices;
  for (const auto& row : plan_.gpu_rows.rows()) {
    if (row.device == kOverheadPid) {
      if (devices.insert(row.device).second) {
        Meta("process_name", row.device, 0, JsonObject().Text("name", "CUPTI overhead"));
        Meta("process_sort_index", row.device, 0, JsonObject().Int("sort_index", kOverheadOrder));
      }
    } else if (devices.insert(row.device).second) {
      std::string name = "GPU " + std::to_string(row.device);
      const std::string label = name;
      if (plan_.rank >= 0) name = "rank " + std::to_string(plan_.rank) + ": " + name;
      const auto info = plan_.gpu_rows.devices().find(row.device);
      if (info != plan_.gpu_rows.devices().end() && !info->second.name.empty())
        name += " (" + info->second.name + ")";
      if (info != plan_.gpu_rows.devices().end() && !info->second.given_name.empty())
        name += " " + info->second.given_name;
      Meta("process_name", row.device, 0, JsonObject().Text("name", name));
      Meta("process_labels", row.device, 0, JsonObject().Text("labels", label));
      Meta("process_sort_index", row.device, 0,
           JsonObject().Int("sort_index", kFirstGpuOrder + row.device));
    }
    Meta("thread_name", row.device, row.tid, JsonObject().Text("name", row.name));
    Meta("thread_sort_index", row.device, row.tid, JsonObject().Int("sort_index", row.order));
  }
}

bool IsMain(const Image& image, uint32_t tid, const ThreadFacts& thread) {
  return thread.main || (!thread.recorded && static_cast<int64_t>(tid) == image.facts.pid);
}

// A thread that nobody named bears its process's name, which says nothing.
std::string ThreadLabel(const Image& image, const ThreadFacts& thread, bool main) {
  const bool named = !thread.given_name.empty() && thread.given_name != FieldText(image.facts.comm);
  return named ? thread.given_name : main ? "main" : "thread";
}

void Writer::ThreadRows(const Image& image) {
  for (const auto& [tid, thread] : image.survey.threads) {
    if (thread.device && !thread.host) continue;  // the vendor's thread, or our helper
    const bool main = IsMain(image, tid, thread);
    const int64_t order = main ? 1 : 10 + 10 * int64_t{thread.order};
    Row(image, image.rows.Thread(tid, main), ThreadLabel(image, thread, main), order);
  }
}

void Writer::DerivedRows(const Image& image) {
  for (const DerivedSlice& slice : image.derived.slices) {
    if (slice.of_device) {
      if (!rows_.insert({slice.id, kIdleTid}).second) continue;
      Meta("thread_name", slice.id, kIdleTid, JsonObject().Text("name", "idle"));
      Meta("thread_sort_index", slice.id, kIdleTid, JsonObject().Int("sort_index", -1));
      continue;
    }
    const auto found = image.survey.threads.find(slice.id);
    const ThreadFacts thread = found == image.survey.threads.end() ? ThreadFacts() : found->second;
    const bool main = IsMain(image, slice.id, thread);
    const int64_t order = (main ? 1 : 10 + 10 * int64_t{thread.order}) + 9;
    Row(image, image.rows.Waits(slice.id, thread.main),
        ThreadLabel(image, thread, main) + " (waits)", order);
  }
}

void Writer::ExtraRows(const Image& image) {
  for (const auto& [key, row] : image.survey.crossing_rows) {
    const auto found = image.survey.threads.find(key.first);
    const ThreadFacts thread = found == image.survey.threads.end() ? ThreadFacts() : found->second;
    const bool main = IsMain(image, key.first, thread);
    const std::string domain = row.domain.empty() ? "default domain" : row.domain;
    const int64_t order =
        (main ? 1 : 10 + 10 * int64_t{thread.order}) + 1 + std::min(row.index, 8u);
    Row(image, image.rows.Crossing(key.first, thread.main, row.index),
        ThreadLabel(image, thread, main) + " (" + domain + ")", order);
  }
  DerivedRows(image);
  for (const uint16_t lane : image.survey.lanes) {
    Row(image, image.rows.Lane(lane), "ranges (lane " + std::to_string(lane) + ")",
        kFirstLaneOrder + lane);
  }
}

void Writer::Life(const Image& image, const Image& last) {
  std::string line = ProcessSlice(image, image.name, image.begin_ns, last.end_ns);
  JsonObject args;
  args.Int("pid", image.outer_pid).Int("ppid", image.facts.ppid);
  const std::string command = CommandLine(image.facts);
  if (!command.empty()) args.Text("command_line", command);
  args.Text("executable", FieldText(image.facts.executable))
      .Text("host", FieldText(image.facts.host));
  args.Text("exit", DescribeExit(last.exit));
  if (image.begin_ns < plan_.base.ns) args.Text("begin", "before the base of the trace's times");
  if (!last.end_known) args.Text("end", "unknown: the last that was seen of it");
  Line(line.append(", \"args\": ").append(args.Take()).append("}"));
}

void Writer::Losses(const Image& image, uint64_t at_ns) {
  for (uint32_t kind = 0; kind < kLossKinds; ++kind) {
    if (image.losses[kind] == 0) continue;
    const LossFacts& facts = FactsOfLoss(kind);
    const std::string name =
        "syncline: " + std::to_string(image.losses[kind]) + " records lost (" + facts.name + ")";
    std::string line = OnProcess(
        image, "{\"ph\": \"i\", \"s\": \"t\", \"cat\": \"cpu_instant_event\", \"name\": ", name);
    time_.AppendTime(&line, std::max(at_ns, plan_.base.ns));
    JsonObject args;
    args.Text("meaning", facts.meaning).Text("remedy", facts.remedy);
    Line(line.append(", \"args\": ").append(args.Take()).append("}"));
  }
}

void Writer::GpuPeriods(const Image& image) {
  for (const GpuPeriod& period : image.gpu_periods) {
    if (period.mode == GpuMode::kAll) continue;
    const std::string name = std::string("GPU recorded: ") + GpuModeName(period.mode);
    std::string line = ProcessSlice(image, name, period.begin_ns, period.end_ns);
    JsonObject args;
    args.Text("why", period.why);
    Line(line.append(", \"args\": ").append(args.Take()).append("}"));
  }
}

}  // namespace

std::string DescribeExit(const ExitFacts& exit) {
  switch (exit.kind) {
    case ExitKind::kRunning:
      return "still running when recording ended";
    case ExitKind::kExited:
      return "exited with status " + std::to_string(exit.value);
    case ExitKind::kSignaled:
      return "killed by signal " + SignalName(exit.value);
    default:
      return *exit.source == '\0' ? "unknown" : exit.source;
  }
}

std::string TraceHead(const RankPlan& plan) {
  JsonObject distributed;
  distributed.Int("rank", std::max(plan.rank, 0));
  if (plan.world_size > 0) distributed.Int("world_size", plan.world_size);
  std::string host;
  AppendString(&host, FieldText(plan.images[0]->facts.host));
  std::string head = "{\n\"schemaVersion\": 1";
  const std::string devices = DevicePropertiesJson(plan);
  if (!devices.empty()) head += ",\n\"deviceProperties\": [" + devices + "]";
  head += ",\n\"distributedInfo\": " + distributed.Take();
  head += ",\n\"host_name\": " + host;
  head += ",\n\"metadata\": " + MetadataJson(plan);
  head +=
      ",\n\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": " + std::to_string(plan.base.ns);
  return head + ",\n\"traceEvents\": [\n";
}

void WriteRowsAndLives(const RankPlan& plan, TimeUnit unit, EventBuffer* out) {
  Writer writer(plan, unit, out);
  for (size_t i = 0; i < plan.images.size(); ++i) {
    const Image& image = *plan.images[i];
    // Of a process that became another program the last name counts, as in ps.
    const bool last = i + 1 == plan.images.size() || plan.images[i + 1]->rows.pid != image.rows.pid;
    if (last) writer.ProcessRows(image);
  }
  for (const auto& image : plan.images) writer.ThreadRows(*image);
  for (const auto& image : plan.images) writer.ExtraRows(*image);
  writer.GpuRows();
  for (size_t i = 0; i < plan.images.size(); ++i) {
    const Image& image = *plan.images[i];
    size_t last = i;
    while (last + 1 < plan.images.size() && plan.images[last + 1]->continues) ++last;
    if (!image.continues) writer.Life(image, *plan.images[last]);
    writer.GpuPeriods(image);
    writer.Losses(image, image.end_ns);
  }
}

std::string TraceFoot(std::string_view name) {
  std::string foot = "\n],\n\"traceName\": ";
  AppendString(&foot, name);
  return foot + "\n}\n";
}

}  // namespace syncline
