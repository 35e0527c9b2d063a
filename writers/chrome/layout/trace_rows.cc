// SPDX-License-Identifier: Apache-2.0
// Writes M, X and i events that come once.
#include "writers/chrome/layout/trace_rows.h"

#include <algorithm>
#include <set>
#include <utility>

#include "model/run/left_out.h"
#include "model/run/program_name.h"
#include "writers/chrome/text/json_object.h"

namespace syncline {
namespace {

constexpr int32_t kFirstLaneOrder = 1 << 30;

// One trace.
class RowWriter {
 public:
  RowWriter(const RankModel& model, const TraceLayout& layout, TimeUnit unit, EventBuffer* out,
            bool first)
      : model_(model),
        layout_(layout),
        unit_(unit),
        time_{unit, model.base.ns},
        out_(out),
        first_(first) {}

  void ProcessRows(const ProgramRun& run);
  void ThreadRows(const ProgramRun& run);
  void ExtraRows(const ProgramRun& run);
  void StepRows(const ProgramRun& run);
  void CompileRow(const ProgramRun& run);
  void Steps(const ProgramRun& run);
  void FindingRows(const ProgramRun& run);
  void FindingRows(const ProgramRun& run, const SourceRun& source);
  // `last`: the run that ends the same program's life.
  void Life(const ProgramRun& run, const ProgramRun& last);
  void Losses(const ProgramRun& run, uint64_t at_ns);
  void LeftOut(const ProgramRun& run);
  void CoveragePeriods(const ProgramRun& run);
  void GpuRows();

 private:
  const RowIds& Rows(const ProgramRun& run) const { return layout_.rows[run.index]; }
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
  void Row(const ProgramRun& run, uint32_t tid, std::string_view name, int64_t order) {
    if (!rows_.insert({Rows(run).pid, tid}).second) return;
    Meta("thread_name", Rows(run).pid, tid, JsonObject().Text("name", name));
    Meta("thread_sort_index", Rows(run).pid, tid, JsonObject().Int("sort_index", order));
  }
  void Instant(const ProgramRun& run, std::string_view name, uint64_t at_ns,
               const JsonObject& args) {
    std::string line = OnProcess(
        run, "{\"ph\": \"i\", \"s\": \"t\", \"cat\": \"cpu_instant_event\", \"name\": ", name);
    time_.AppendTime(&line, std::max(at_ns, model_.base.ns));
    Line(line.append(", \"args\": ").append(args.Take()).append("}"));
  }
  // On the row of the process itself, up to `ts`.
  std::string OnProcess(const ProgramRun& run, const char* head, std::string_view name) const {
    std::string line = head;
    AppendString(&line, name);
    line.append(", \"pid\": ");
    AppendUint(&line, Rows(run).pid);
    line.append(", \"tid\": ");
    AppendUint(&line, Rows(run).Process());
    return line.append(", \"ts\": ");
  }
  std::string ProcessSlice(const ProgramRun& run, std::string_view name, uint64_t begin,
                           uint64_t end) const {
    std::string line = OnProcess(run, "{\"ph\": \"X\", \"cat\": \"process\", \"name\": ", name);
    time_.AppendSpan(&line, std::max(begin, model_.base.ns), std::max(end, model_.base.ns));
    return line;
  }

  const RankModel& model_;
  const TraceLayout& layout_;
  TimeUnit unit_;
  TimeText time_;
  EventBuffer* out_;
  bool first_;
  std::set<std::pair<uint32_t, uint32_t>> rows_;
};

void RowWriter::ProcessRows(const ProgramRun& run) {
  const uint32_t pid = Rows(run).pid;
  std::string name =
      model_.told_rank >= 0 ? "rank " + std::to_string(model_.told_rank) + ": " : std::string();
  Meta("process_name", pid, 0, JsonObject().Text("name", name + run.name));
  std::string labels = "CPU";
  if (static_cast<uint32_t>(run.outer_pid) != pid)
    labels += ", pid " + std::to_string(run.outer_pid);
  Meta("process_labels", pid, 0, JsonObject().Text("labels", labels));
  Meta("process_sort_index", pid, 0, JsonObject().Uint("sort_index", pid));
  Row(run, Rows(run).Process(), "process", 0);
}

// GPUs stand below the processes: their pids are small, their order is that of Kineto.
void RowWriter::GpuRows() {
  constexpr int64_t kFirstGpuOrder = 5000000;
  constexpr int64_t kOverheadOrder = 0x100000A;
  std::set<uint32_t> pids;
  for (const auto& row : layout_.gpu_rows.rows()) {
    const auto overhead = layout_.gpu_rows.overheads().find(row.pid);
    const bool is_new = pids.insert(row.pid).second;
    if (is_new && overhead != layout_.gpu_rows.overheads().end()) {
      Meta("process_name", row.pid, 0, JsonObject().Text("name", overhead->second));
      Meta("process_sort_index", row.pid, 0, JsonObject().Int("sort_index", kOverheadOrder));
    } else if (is_new) {
      const std::string label = layout_.gpu_rows.Label(row.pid);
      std::string name = label;
      if (model_.told_rank >= 0) name = "rank " + std::to_string(model_.told_rank) + ": " + name;
      const auto device = layout_.gpu_rows.devices().find(row.pid);
      if (device != layout_.gpu_rows.devices().end()) {
        const DeviceInfo& info = device->second;
        const std::string identity = layout_.gpu_rows.Identity(row.pid);
        if (!info.name.empty())
          name += " (" + info.name + (identity.empty() ? "" : ", " + identity) + ")";
        if (!info.given_name.empty()) name += " " + info.given_name;
      }
      Meta("process_name", row.pid, 0, JsonObject().Text("name", name));
      Meta("process_labels", row.pid, 0, JsonObject().Text("labels", label));
      Meta("process_sort_index", row.pid, 0,
           JsonObject().Int("sort_index", kFirstGpuOrder + row.pid));
    }
    Meta("thread_name", row.pid, row.tid, JsonObject().Text("name", row.name));
    Meta("thread_sort_index", row.pid, row.tid, JsonObject().Int("sort_index", row.order));
  }
}

bool IsMain(const ProgramRun& run, uint32_t tid, const ThreadFacts& thread) {
  return thread.main || (!thread.recorded && static_cast<int64_t>(tid) == run.facts.pid);
}

// A thread that nobody named bears its process's name, which says nothing.
std::string ThreadLabel(const ProgramRun& run, const ThreadFacts& thread, bool main) {
  const bool named = !thread.given_name.empty() && thread.given_name != FieldText(run.facts.comm);
  return named ? thread.given_name : main ? "main" : "thread";
}

void RowWriter::ThreadRows(const ProgramRun& run) {
  for (const auto& [tid, thread] : run.survey.threads) {
    if (thread.device && !thread.host) continue;  // the vendor's thread, or our helper
    const bool main = IsMain(run, tid, thread);
    const int64_t order = main ? 1 : 10 + 10 * int64_t{thread.order};
    Row(run, Rows(run).Thread(tid, main), ThreadLabel(run, thread, main), order);
  }
}

void RowWriter::FindingRows(const ProgramRun& run) {
  run.sources.Each([&](Source, const SourceRun& source) { FindingRows(run, source); });
}

void RowWriter::FindingRows(const ProgramRun& run, const SourceRun& source) {
  const std::string what =
      source.order == 0 ? " (waits)" : std::string(" (waits, ") + source.facts.name + ")";
  for (const Wait& wait : source.findings.waits) {
    const auto found = run.survey.threads.find(wait.tid);
    const ThreadFacts thread = found == run.survey.threads.end() ? ThreadFacts() : found->second;
    const bool main = IsMain(run, wait.tid, thread);
    const int64_t order = (main ? 1 : 10 + 10 * int64_t{thread.order}) + 9;
    Row(run, Rows(run).Waits(wait.tid, thread.main, source.order),
        ThreadLabel(run, thread, main) + what, order);
  }
  for (const Gap& gap : source.findings.gaps) {
    if (gap.begin_ns == gap.end_ns) continue;
    const uint32_t pid = layout_.gpu_rows.Pid(source, gap.device);
    if (!rows_.insert({pid, kIdleTid}).second) continue;
    Meta("thread_name", pid, kIdleTid, JsonObject().Text("name", "idle"));
    Meta("thread_sort_index", pid, kIdleTid, JsonObject().Int("sort_index", -1));
  }
}

void RowWriter::StepRows(const ProgramRun& run) {
  if (layout_.steps.empty()) return;
  for (const ShownStep& step : layout_.steps[run.index].shown) {
    const auto found = run.survey.threads.find(step.tid);
    const ThreadFacts thread = found == run.survey.threads.end() ? ThreadFacts() : found->second;
    const bool main = IsMain(run, step.tid, thread);
    const int64_t order = (main ? 1 : 10 + 10 * int64_t{thread.order}) - 1;
    Row(run, Rows(run).Steps(step.tid, thread.main), ThreadLabel(run, thread, main) + " (steps)",
        order);
  }
}

// Behind the main thread's rows.
void RowWriter::CompileRow(const ProgramRun& run) {
  if (run.compiled == nullptr) return;
  const auto& all = run.compiled->compilations;
  const bool any = std::any_of(all.begin(), all.end(), [](const Compilation& compilation) {
    return compilation.event.begin_ns != 0;
  });
  if (any) Row(run, Rows(run).Compilations(), run.compiled->words, 10);
}

void RowWriter::Steps(const ProgramRun& run) {
  if (layout_.steps.empty()) return;
  for (const ShownStep& step : layout_.steps[run.index].shown) {
    const auto found = run.survey.threads.find(step.tid);
    const bool main = found != run.survey.threads.end() && found->second.main;
    std::string line = "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#";
    AppendUint(&line, step.number);
    line.append("\", \"pid\": ");
    AppendUint(&line, Rows(run).pid);
    line.append(", \"tid\": ");
    AppendUint(&line, Rows(run).Steps(step.tid, main));
    line.append(", \"ts\": ");
    time_.AppendSpan(&line, step.begin_ns, step.end_ns);
    JsonObject args;
    args.Text("step_range", step.name);
    Line(line.append(", \"args\": ").append(args.Take()).append("}"));
  }
}

void RowWriter::ExtraRows(const ProgramRun& run) {
  for (const auto& [key, row] : run.survey.crossing_domains) {
    const auto found = run.survey.threads.find(key.first);
    const ThreadFacts thread = found == run.survey.threads.end() ? ThreadFacts() : found->second;
    const bool main = IsMain(run, key.first, thread);
    const std::string domain = row.name.empty() ? "default domain" : row.name;
    const int64_t order =
        (main ? 1 : 10 + 10 * int64_t{thread.order}) + 1 + std::min(row.index, 8u);
    Row(run, Rows(run).Crossing(key.first, thread.main, row.index),
        ThreadLabel(run, thread, main) + " (" + domain + ")", order);
  }
  StepRows(run);
  CompileRow(run);
  FindingRows(run);
  for (const uint16_t lane : run.survey.lanes) {
    Row(run, Rows(run).Lane(lane), "ranges (lane " + std::to_string(lane) + ")",
        kFirstLaneOrder + lane);
  }
}

void RowWriter::Life(const ProgramRun& run, const ProgramRun& last) {
  std::string line = ProcessSlice(run, run.name, run.begin_ns, last.end_ns);
  JsonObject args;
  args.Int("pid", run.outer_pid).Int("ppid", run.facts.ppid);
  const std::string command = CommandText(run.facts);
  if (!command.empty()) args.Text("command_line", command);
  args.Text("executable", FieldText(run.facts.executable)).Text("host", FieldText(run.facts.host));
  args.Text("exit", DescribeExit(last.exit));
  if (run.begin_ns < model_.base.ns) args.Text("begin", "before the base of the trace's times");
  if (!last.end_known) args.Text("end", "unknown: the last that was seen of it");
  Line(line.append(", \"args\": ").append(args.Take()).append("}"));
}

void RowWriter::Losses(const ProgramRun& run, uint64_t at_ns) {
  for (uint32_t kind = 0; kind < kLossKinds; ++kind) {
    if (run.losses[kind] == 0) continue;
    const LossFacts& facts = FactsOfLoss(kind);
    const std::string name = "syncline: " + std::to_string(run.losses[kind]) +
                             (run.losses[kind] == 1 ? " record lost (" : " records lost (") +
                             facts.name + ")";
    JsonObject args;
    args.Text("meaning", facts.meaning).Text("remedy", facts.remedy);
    Instant(run, name, at_ns, args);
  }
}

void RowWriter::LeftOut(const ProgramRun& run) {
  for (const std::string& text : LeftOutTexts(run))
    Instant(run, "syncline: " + text, run.end_ns, JsonObject());
}

void RowWriter::CoveragePeriods(const ProgramRun& run) {
  run.sources.Each([&](Source, const SourceRun& source) {
    for (const CoveragePeriod& period : source.coverage) {
      if (period.coverage == GpuCoverage::kAll) continue;
      const std::string name = std::string("GPU recorded: ") + GpuCoverageName(period.coverage, "");
      std::string line = ProcessSlice(run, name, period.begin_ns, period.end_ns);
      JsonObject args;
      if (source.order != 0) args.Text("source", source.facts.name);
      args.Text("why", period.why);
      Line(line.append(", \"args\": ").append(args.Take()).append("}"));
    }
  });
}

}  // namespace

void WriteRowsAndLives(const RankModel& model, const TraceLayout& layout, TimeUnit unit,
                       EventBuffer* out) {
  RowWriter writer(model, layout, unit, out, true);
  for (size_t i = 0; i < model.runs.size(); ++i) {
    const ProgramRun& run = *model.runs[i];
    // If a process became another program, the last name counts, as in ps.
    const bool last = i + 1 == model.runs.size() || layout.rows[i + 1].pid != layout.rows[i].pid;
    if (last) writer.ProcessRows(run);
  }
  for (const auto& run : model.runs) writer.ThreadRows(*run);
  for (const auto& run : model.runs) writer.ExtraRows(*run);
  writer.GpuRows();
  for (size_t i = 0; i < model.runs.size(); ++i) {
    const ProgramRun& run = *model.runs[i];
    size_t last = i;
    while (last + 1 < model.runs.size() && model.runs[last + 1]->continues) ++last;
    if (!run.continues) writer.Life(run, *model.runs[last]);
    writer.CoveragePeriods(run);
    writer.Steps(run);
    writer.Losses(run, run.end_ns);
  }
}

void WriteLeftOut(const ProgramRun& run, const RankModel& model, const TraceLayout& layout,
                  TimeUnit unit, EventBuffer* out) {
  RowWriter(model, layout, unit, out, false).LeftOut(run);
}

}  // namespace syncline
