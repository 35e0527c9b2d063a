// SPDX-License-Identifier: Apache-2.0
// Records to what the analysis reads; what it found to slices with Kineto-like arguments.
#include "launcher/gpu_analysis.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/idle.h"
#include "analysis/waits.h"
#include "launcher/text.h"
#include "writers/json.h"
#include "writers/json_object.h"
#include "writers/kernel_name.h"
#include "writers/spool_reader.h"

namespace syncline {
namespace {

constexpr size_t kMostKernels = 1 << 20;

// First reading: all but the ranges.
class GpuReading : public RecordSink {
 public:
  GpuReading(const DeriveRequest& request, GpuRecords* records)
      : request_(request), records_(records) {}

  void OnCall(Stream& stream, const CallRecord& record) override { Add(stream, record, false); }
  void OnOpenCall(Stream& stream, const CallRecord& record) override { Add(stream, record, true); }

  void OnDeviceOp(Stream& stream, const DeviceOpRecord& record, const KernelDetails*) override {
    GpuOp op;
    op.begin_ns = request_.device.Convert(record.begin);
    op.end_ns = std::max(request_.device.Convert(record.end), op.begin_ns);
    op.bytes = record.bytes;
    op.correlation = record.correlation;
    op.context = record.context;
    op.stream = record.stream;
    op.device = static_cast<uint16_t>(record.device);
    op.type = record.type;
    op.from = record.from;
    op.to = record.to;
    const std::string_view* name = stream.Name(record.head.id);
    op.kernel = NameOf(name == nullptr ? OperationName(record) : std::string(*name));
    records_->ops.push_back(op);
  }

  void OnDeviceNote(Stream&, const DeviceNoteRecord& note) override {
    switch (note.type) {
      case DeviceNoteType::kSync:
        return Sync(note);
      case DeviceNoteType::kEvent:
        records_->events.push_back({note.correlation, note.context, note.stream, note.head.id});
        return;
      case DeviceNoteType::kOverhead:
        return Overhead(note);
      case DeviceNoteType::kStream:
        return records_->streams.push_back(
            {note.context, note.stream, KindOf(static_cast<DeviceStreamKind>(note.detail))});
      case DeviceNoteType::kContext:
        return records_->streams.push_back({note.context, note.stream, StreamKind::kLegacy});
      case DeviceNoteType::kAllocation:
        return records_->memory.push_back({note.correlation, note.device});
      case DeviceNoteType::kSettings:
        records_->launch_blocking =
            (note.detail & kLaunchesBlock) != 0 ? LaunchBlocking::kOn : LaunchBlocking::kOff;
        return;
      case DeviceNoteType::kStreamHandle:
      case DeviceNoteType::kContextHandle:
        return;
    }
  }

  // By GpuOp::kernel.
  const std::vector<std::string>& names() const { return names_; }

 private:
  void Add(Stream& stream, const CallRecord& record, bool open) {
    const std::string_view* name = stream.Name(record.head.id);
    GpuCall call;
    call.begin_ns = request_.host.Convert(record.begin);
    call.end_ns =
        open ? std::max(call.begin_ns, request_.end_ns) : request_.host.Convert(record.end);
    call.correlation = record.correlation;
    call.tid = stream.tid();
    call.name = records_->CallName(name == nullptr ? std::string_view() : *name);
    call.result = record.result;
    call.inner = (record.head.flags & kInnerCall) != 0;
    call.open = open;
    records_->calls.push_back(call);
  }

  static StreamKind KindOf(DeviceStreamKind kind) {
    if (kind == DeviceStreamKind::kNonBlocking) return StreamKind::kNonBlocking;
    return kind == DeviceStreamKind::kDefault ? StreamKind::kLegacy : StreamKind::kBlocking;
  }

  void Sync(const DeviceNoteRecord& note) {
    static constexpr GpuSyncKind kKinds[] = {GpuSyncKind::kEvent, GpuSyncKind::kStreamWaitEvent,
                                             GpuSyncKind::kStream, GpuSyncKind::kContext};
    if (note.detail < 1 || note.detail > std::size(kKinds)) return;
    const uint32_t stream = note.stream == 0 ? kNoId : note.stream;
    records_->syncs.push_back({request_.device.Convert(note.begin), note.correlation, note.context,
                               stream, note.head.id, kKinds[note.detail - 1]});
  }

  void Overhead(const DeviceNoteRecord& note) {
    const auto kind = static_cast<DeviceOverheadKind>(note.detail);
    const bool full = kind == DeviceOverheadKind::kQueueFull;
    if (!full && kind != DeviceOverheadKind::kModuleLoading &&
        kind != DeviceOverheadKind::kFunctionLoading) {
      return;
    }
    records_->overheads.push_back({request_.device.Convert(note.begin),
                                   request_.device.Convert(note.end), note.correlation,
                                   full ? GpuOverheadKind::kQueueFull : GpuOverheadKind::kLoading});
  }

  uint32_t NameOf(std::string name) {
    if (numbers_.size() >= kMostKernels && !numbers_.contains(name)) return 0;
    const auto [found, made] =
        numbers_.try_emplace(std::move(name), static_cast<uint32_t>(names_.size()));
    if (made) names_.push_back(DemangledName(found->first));
    return found->second;
  }

  const DeriveRequest& request_;
  GpuRecords* records_;
  std::vector<std::string> names_{""};
  std::map<std::string, uint32_t> numbers_;
};

// Second reading: which ranges were open where a thread began to wait.
class RangeReading : public RecordSink {
 public:
  RangeReading(Timeline* timeline, uint64_t end_ns, const std::vector<Wait>& waits)
      : timeline_(timeline), end_ns_(end_ns), stacks_(waits.size()) {
    for (size_t i = 0; i < waits.size(); ++i)
      of_threads_[waits[i].tid].emplace_back(waits[i].begin_ns, i);
  }

  void OnRange(const RangeEvent& event) override {
    Add(event, timeline_->Convert(event.record.end));
  }
  void OnOpenRange(const RangeEvent& event, uint32_t) override { Add(event, end_ns_); }

  // "step 3 > backward"; empty: outside of all ranges.
  std::string StackOf(size_t wait) {
    std::vector<Named>& stack = stacks_[wait];
    std::sort(stack.begin(), stack.end());
    std::string text;
    for (const auto& [begin, name] : stack) text += Text(text.empty() ? "" : " > ", name);
    return text;
  }

 private:
  using Named = std::pair<uint64_t, std::string>;  // begin, name

  void Add(const RangeEvent& event, uint64_t end) {
    const auto thread = of_threads_.find(event.stream.tid());
    if (thread == of_threads_.end()) return;
    const uint64_t begin = timeline_->Convert(event.record.begin);
    const auto& waits = thread->second;  // in order, as FindWaits gives them
    auto at = std::lower_bound(waits.begin(), waits.end(), std::pair(begin, size_t{0}));
    for (; at != waits.end() && at->first <= end; ++at) {
      const std::string_view* name = event.stream.Name(event.record.head.id);
      stacks_[at->second].emplace_back(begin, name == nullptr ? "(no name)" : std::string(*name));
    }
  }

  Timeline* timeline_;
  uint64_t end_ns_;
  std::map<uint32_t, std::vector<std::pair<uint64_t, size_t>>> of_threads_;
  std::vector<std::vector<Named>> stacks_;
};

std::string Micros(uint64_t ns) {
  char text[kMaxNumberChars];
  return {text, PutMicros(text, ns)};
}

class Describer {
 public:
  Describer(const DeriveRequest& request, const GpuRecords& records,
            const std::vector<std::string>& names)
      : request_(request), records_(records), names_(names) {}

  std::string OpName(const Wait& wait) const {
    if (wait.op == kNoOp) return "";
    return names_[records_.ops[wait.op].kernel];
  }

  std::string WhatHappened(const Wait& wait) const {
    if (wait.open) return "did not return";
    if (wait.lost) return "what it waited for is not known";
    if (wait.op != kNoOp) return OpName(wait);
    return wait.waited_for == 0 ? "nothing was pending" : "a host function";
  }

  // What stands in the wait's slice and in that of its call.
  std::string Facts(const Wait& wait) const {
    JsonObject object;
    object.Text("class", WaitClassName(wait.wait_class));
    object.Raw("blocked_us", Micros(wait.end_ns - wait.begin_ns));
    const bool known = wait.waited_for != 0;
    object.Raw(
        "waited_for",
        known ? std::to_string(ShownCorrelation(request_.process, wait.waited_for)) : "null");
    if (wait.op != kNoOp) object.Text("waited_for_name", OpName(wait));
    const bool unknown = wait.lost || wait.open;
    object.Raw("already_done", unknown ? "null" : wait.already_done ? "true" : "false");
    if (wait.gpu_idle_after_ns != kNothingFollows)
      object.Raw("gpu_idle_after_us", Micros(wait.gpu_idle_after_ns));
    if (wait.count > 1) object.Uint("count", wait.count);
    if (wait.open) object.Raw("unfinished", "true");
    const std::string text = object.Take();
    return text.substr(1, text.size() - 2);
  }

  DerivedSlice Slice(const Wait& wait, const std::string& ranges) const {
    DerivedSlice slice;
    slice.begin_ns = wait.begin_ns;
    slice.end_ns = wait.end_ns;
    slice.id = wait.tid;
    slice.category = "sync_wait";
    // A full queue waits for an operation to begin.
    const bool for_end =
        wait.wait_class != WaitClass::kQueueFull && wait.wait_class != WaitClass::kGraph;
    if (wait.op != kNoOp && !wait.already_done && for_end) {
      const GpuOp& op = records_.ops[wait.op];
      slice.awaited = {op.correlation, {op.device, op.context, op.stream}, op.begin_ns};
    }
    const std::string& call = records_.call_names()[wait.name];
    slice.name = Text(call, ": ", WhatHappened(wait));
    JsonObject more;
    more.Text("call", call);
    if (!ranges.empty()) more.Text("ranges", ranges);
    const std::string text = more.Take();
    slice.arguments = Text(Facts(wait), ", ", text.substr(1, text.size() - 2));
    return slice;
  }

  DerivedSlice Slice(const Gap& gap, const std::vector<Wait>& waits) const {
    DerivedSlice slice;
    slice.begin_ns = gap.begin_ns;
    slice.end_ns = gap.end_ns;
    slice.of_device = true;
    slice.id = gap.device;
    slice.category = "gpu_idle";
    slice.name = GapCauseName(gap.cause);
    JsonObject object;
    object.Text("cause", slice.name);
    if (gap.tid != 0) object.Uint("tid", gap.tid);
    if (gap.wait != kNoWait) {
      const Wait& wait = waits[gap.wait];
      slice.name = Text("host waited: ", records_.call_names()[wait.name]);
      object.Text("call", records_.call_names()[wait.name]);
      object.Text("class", WaitClassName(wait.wait_class));
    }
    const std::string text = object.Take();
    slice.arguments = text.substr(1, text.size() - 2);
    return slice;
  }

 private:
  const DeriveRequest& request_;
  const GpuRecords& records_;
  const std::vector<std::string>& names_;
};

}  // namespace

void AnalyseGpuWork(const DeriveRequest& request, Derived* derived) {
  SpoolReader reader;
  if (!request.device.valid() || !reader.Open(request.spool).ok()) return;
  GpuRecords records;
  records.clock_error_ns = request.device_error_ns;
  records.end_ns = request.end_ns;
  GpuReading first(request, &records);
  (void)reader.Read(&first);  // what can be read of a damaged spool is analysed; the writer tells
  const std::vector<Wait> waits = FindWaits(records);
  RangeReading ranges(&request.host, request.end_ns, waits);
  if (!waits.empty()) (void)reader.Read(&ranges);

  const Describer describer(request, records, first.names());
  for (size_t i = 0; i < waits.size(); ++i) {
    derived->slices.push_back(describer.Slice(waits[i], ranges.StackOf(i)));
    derived->of_calls.try_emplace(waits[i].correlation, describer.Facts(waits[i]));
  }
  for (const Gap& gap : FindGaps(records, waits, kShortestGapNs))
    derived->slices.push_back(describer.Slice(gap, waits));
}

}  // namespace syncline
