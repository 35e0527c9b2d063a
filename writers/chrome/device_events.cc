// SPDX-License-Identifier: Apache-2.0
// Names, keys and their order are those that Kineto writes and HTA reads.
#include "writers/chrome/device_events.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "model/devices/occupancy.h"
#include "model/devices/operation_name.h"
#include "symbols/demangle.h"
#include "writers/chrome/captured_arguments.h"
#include "writers/chrome/text/json.h"

namespace syncline {
namespace {

constexpr size_t kNamesKept = 1 << 16;

const char* Category(DeviceOpType type) {
  switch (type) {
    case DeviceOpType::kCopy:
    case DeviceOpType::kPeerCopy:
      return "gpu_memcpy";
    case DeviceOpType::kSet:
      return "gpu_memset";
    default:
      return "kernel";
  }
}

std::string Word(const SourceJob& job, const char* before, const char* after) {
  const SourceFacts& facts = job.source->facts;
  const char* const word = facts.devices.trace_word;
  return before + std::string(word != nullptr ? word : facts.name) + after;
}

}  // namespace

DeviceEvents::DeviceEvents(const SourceJob& job, CallFlows* flows, WaitFlows* wait_flows)
    : job_(job),
      findings_(job.source->findings),
      flows_(flows),
      wait_flows_(wait_flows),
      line_(job.out, job.time),
      chooser_(job.shown),
      survey_(job.source->devices),
      first_pid_(job.rows->FirstPid(job.source->source)),
      moved_(job.rows->numbers().Moved(*job.source)),
      sync_(Word(job, "", "_sync")),
      sync_kind_(Word(job, "", "_sync_kind")),
      wait_on_correlation_(Word(job, "wait_on_", "_event_record_corr_id")),
      wait_on_event_(Word(job, "wait_on_", "_event_id")) {}

// HTA takes what has a stream for work of the GPU: these have none.
void DeviceEvents::WriteRanges(const GpuRanges& ranges) {
  for (const GpuRange& range : ranges.ranges) {
    const GpuStream& stream = ranges.streams[range.stream];
    const uint32_t tid = job_.rows->RangeRow(job_.source->number, stream, range.row);
    if (tid == 0 || !job_.shown.Lasts(range.begin, range.end)) continue;
    const RangeLabel& label = ranges.labels[range.label];
    line_.Begin("gpu_user_annotation", label.name, Pid(stream.device), tid, range.begin, range.end);
    if (!label.domain.empty()) {
      line_.Text("domain", label.domain);
    }
    line_.Finish();
  }
}

const std::string& DeviceEvents::KernelName(Stream& stream, uint32_t id) {
  const uint64_t key = uint64_t{stream.serial()} << 32 | id;
  const auto found = kernel_names_.find(key);
  if (found != kernel_names_.end()) return found->second;
  if (kernel_names_.size() >= kNamesKept) kernel_names_.clear();
  const std::string_view* name = stream.Name(id);
  return kernel_names_[key] = name == nullptr ? "(name lost)" : DemangledName(*name);
}

std::string DeviceEvents::OpName(Stream& stream, const DeviceOpRecord& op) {
  return op.type == DeviceOpType::kKernel ? KernelName(stream, op.head.id)
                                          : OperationName({"", op.type, op.from, op.to, op.graph});
}

void DeviceEvents::KernelArguments(const KernelDetails& kernel, uint32_t device) {
  line_.Number("registers per thread", kernel.registers);
  line_.Number("shared memory", uint64_t{kernel.static_shared} + kernel.dynamic_shared);
  const auto shown = job_.rows->devices().find(Pid(device));
  std::optional<Occupancy> occupancy;
  if (shown != job_.rows->devices().end()) occupancy = OccupancyOf(kernel, shown->second.facts);
  if (occupancy.has_value()) {
    line_.Key("blocks per SM");
    AppendDouble(&line_.text(), occupancy->blocks_per_multiprocessor);
    line_.Key("warps per SM");
    AppendDouble(&line_.text(), occupancy->warps_per_multiprocessor);
  }
  line_.Triple("grid", kernel.grid);
  line_.Triple("block", kernel.block);
  if (occupancy.has_value() && occupancy->percent.has_value())
    line_.Number("est. achieved occupancy %", *occupancy->percent);
  if (kernel.graph_node == 0) return;
  line_.Number("graph node id", kernel.graph_node);
  const CapturedNodes::Node* captured = CapturedOf(&kernel);
  if (captured != nullptr) AppendCaptured(*captured, &line_);
}

bool DeviceEvents::OnLane(LaneAssigner* lanes, const std::vector<uint32_t>* tids,
                          const DeviceTimeline& clock, uint64_t device_begin, uint64_t device_end,
                          uint32_t* tid, TraceSpan* span) const {
  if (tids == nullptr || !PlaceSpan(lanes, clock, job_.limits, device_begin, device_end, span) ||
      span->lane >= tids->size()) {
    return false;
  }
  *tid = (*tids)[span->lane];
  return true;
}

bool DeviceEvents::Note(const DeviceEventRecord& note) {
  if ((note.head.flags & kOpOutside) != 0) return true;
  if (note.type == DeviceEventType::kSync) return Sync(note);
  if (note.type == DeviceEventType::kOverhead) return Overhead(note);
  return true;
}

// HTA takes what has a stream for work of the GPU: only what waits for a stream may have one.
bool DeviceEvents::Sync(const DeviceEventRecord& sync) {
  static constexpr const char* kNames[] = {"Sync", "Event Sync", "Stream Wait Event", "Stream Sync",
                                           "Context Sync"};
  const GpuStream row = SyncRow(sync);
  uint32_t tid;
  TraceSpan span;
  const std::vector<uint32_t>* tids = job_.rows->SyncLanes(job_.source->number, row);
  if (!OnLane(&sync_lanes_[row], tids, job_.source->clocks.Shared(), sync.begin, sync.end, &tid,
              &span))
    return false;
  const uint32_t device = survey_.DeviceOf(sync.context);
  const char* name = kNames[sync.detail < std::size(kNames) ? sync.detail : 0];
  line_.Begin(sync_, name, Pid(device), tid, span.begin, span.end);
  line_.Text(sync_kind_, name);
  line_.Key("stream");
  AppendInt(&line_.text(), row.stream == 0 ? -1 : int64_t{row.stream});
  line_.Number("correlation", job_.Correlation(sync.correlation));
  line_.Number("device", Number(device));
  line_.Number("context", sync.context);
  const EventRecorded* recorded =
      sync.head.id == 0 ? nullptr : survey_.LastRecorded(sync.head.id, sync.correlation);
  if (recorded != nullptr) {
    line_.Number("wait_on_stream", recorded->stream);
    line_.Number(wait_on_correlation_, job_.Correlation(recorded->correlation));
    line_.Number(wait_on_event_, sync.head.id);
  }
  line_.Finish();
  return true;
}

bool DeviceEvents::Overhead(const DeviceEventRecord& overhead) {
  static constexpr const char* kNames[] = {"Other",
                                           "Driver Compiler",
                                           "Buffer Flush",
                                           "Instrumentation",
                                           "Resource",
                                           "Runtime Triggered Module Loading",
                                           "Lazy Function Loading",
                                           "Command Buffer Full",
                                           "Activity Buffer Request"};
  uint32_t tid;
  TraceSpan span;
  const std::vector<uint32_t>* tids = job_.rows->OverheadLanes(job_.source->number);
  if (!OnLane(&overhead_lanes_, tids, job_.source->clocks.Shared(), overhead.begin, overhead.end,
              &tid, &span)) {
    return false;
  }
  line_.Begin("overhead", kNames[overhead.detail < std::size(kNames) ? overhead.detail : 0],
              job_.rows->OverheadRow(job_.source->source), tid, span.begin, span.end);
  line_.Finish();
  return true;
}

// Bytes of device memory that the process holds, at each change.
uint64_t DeviceEvents::Close() {
  const DeviceClocks& clocks = job_.source->clocks;
  if (!clocks.valid()) return 0;
  uint64_t left_out = 0;
  std::vector<MemoryChange> changes = survey_.memory;
  std::stable_sort(
      changes.begin(), changes.end(),
      [](const MemoryChange& a, const MemoryChange& b) { return a.device_ns < b.device_ns; });
  std::map<uint32_t, int64_t> held;
  for (const MemoryChange& change : changes) {
    int64_t& bytes = held[change.device];
    bytes = std::max<int64_t>(bytes + change.bytes, 0);
    const uint64_t at = clocks.Of(change.device).Convert(change.device_ns);
    if (!job_.limits.Hold(at, at)) {
      ++left_out;
      continue;
    }
    line_.BeginCounter("memory of pid " + std::to_string(job_.pid), Pid(change.device), at);
    line_.Key("bytes");
    AppendInt(&line_.text(), bytes);
    line_.Finish();
  }
  return left_out;
}

// Null: no cached parts, because something in it is its own.
const EventParts* DeviceEvents::KernelParts(Stream& stream, const DeviceOpRecord& op,
                                            const KernelDetails& kernel, uint32_t tid) {
  if (kernel.queued != 0) return nullptr;
  EventPartsCache<12>::Key key = {uint64_t{stream.serial()} << 32 | op.head.id,
                                  uint64_t{op.device} << 32 | op.context,
                                  uint64_t{op.stream} << 32 | tid, op.graph};
  static_assert(sizeof(KernelDetails) == 8 * sizeof(uint64_t));
  std::memcpy(&key[4], &kernel, sizeof(kernel));
  bool known;
  EventParts* parts = kernel_parts_.Find(key, &known);
  if (known) return parts;
  line_.Head(Category(op.type), OpName(stream, op), Pid(op.device), tid);
  parts->head = line_.Take();
  line_.BeginArguments();
  line_.Number("queued", 0);
  Place(op);
  line_.Key("correlation");
  parts->middle = line_.Take();
  KernelArguments(kernel, op.device);
  CompiledArguments(stream, op);
  if (op.graph != 0) line_.Number("graph id", op.graph);
  parts->tail = line_.Take();
  return parts;
}

void DeviceEvents::Place(const DeviceOpRecord& op) {
  line_.Number("device", Number(op.device));
  line_.Number("context", op.context);
  line_.Number("stream", op.stream);
}

// Of a kernel that a framework's compiler generated.
void DeviceEvents::CompiledArguments(Stream& stream, const DeviceOpRecord& op) {
  if (job_.compiled == nullptr || op.type != DeviceOpType::kKernel) return;
  const auto found = job_.compiled->kernels.find(KernelName(stream, op.head.id));
  if (found == job_.compiled->kernels.end()) return;
  if (!found->second.operators.empty()) line_.Text("compiled_from", found->second.operators);
  if (!found->second.lines.empty()) line_.Text("compiled_where", found->second.lines);
}

// What other operations than plain kernels say of themselves.
void DeviceEvents::WriteOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel,
                           uint32_t tid, const TraceSpan& span, std::string_view more) {
  line_.Begin(Category(op.type), OpName(stream, op), Pid(op.device), tid, span.begin, span.end);
  if (op.type == DeviceOpType::kKernel)
    line_.Number("queued", kernel == nullptr ? 0 : kernel->queued);
  Place(op);
  line_.Number("correlation", job_.Correlation(op.correlation));
  if (kernel != nullptr) KernelArguments(*kernel, op.device);
  CompiledArguments(stream, op);
  if (op.type != DeviceOpType::kKernel && op.type != DeviceOpType::kGraph) {
    line_.Number("bytes", op.bytes);
    line_.Key("memory bandwidth (GB/s)");
    const uint64_t ns = op.end - op.begin;
    AppendDouble(&line_.text(),
                 ns == 0 ? 0 : static_cast<double>(op.bytes) / static_cast<double>(ns));
  }
  if (op.type == DeviceOpType::kPeerCopy) {
    line_.Number("fromDevice", Number(op.source_device));
    line_.Number("inDevice", Number(op.device));
    line_.Number("toDevice", Number(op.target_device));
  }
  if (op.graph != 0) line_.Number("graph id", op.graph);
  line_.Members(more);
  AppendArguments(stream, &line_);
  line_.Finish();
}

// Launched while nothing was recorded. Not named and placed as HTA looks for work: it is only there
// to say that the device was busy.
void DeviceEvents::WriteOutside(Stream& stream, const DeviceOpRecord& op, uint32_t tid,
                                const TraceSpan& span) {
  line_.Begin("gpu_outside", "outside: " + OpName(stream, op), Pid(op.device), tid, span.begin,
              span.end);
  line_.Number("device", Number(op.device));
  line_.Number("context", op.context);
  line_.Number("of_stream", op.stream);
  line_.Number("launch", job_.Correlation(op.correlation));
  line_.Finish();
}

// Null: it is of no graph, or nobody knows its node.
const CapturedNodes::Node* DeviceEvents::CapturedOf(const KernelDetails* kernel) const {
  if (kernel == nullptr || kernel->graph_node == 0) return nullptr;
  return job_.source->captured->Find(job_.source->source, kernel->graph_node);
}

// Of a graph's kernel the module that captured it.
void DeviceEvents::AppendModuleOf(const DeviceOpRecord& op, const KernelDetails* kernel,
                                  std::string* members) const {
  if (job_.modules == nullptr) return;
  const CapturedNodes::Node* captured = CapturedOf(kernel);
  const uint32_t launch = captured != nullptr ? captured->correlation : op.correlation;
  const ModuleLog::Path* module = job_.modules->OfLaunch(job_.source->source, launch);
  if (module == nullptr) return;
  members->append(members->empty() ? "\"module\": " : ", \"module\": ");
  AppendString(members, module->name);
}

DeviceEvents::Shown DeviceEvents::Op(Stream& stream, const DeviceOpRecord& op,
                                     const KernelDetails* kernel) {
  const GpuStream row{op.device, op.context, op.stream};
  uint32_t tid;
  TraceSpan span;
  const std::vector<uint32_t>* tids = job_.rows->Lanes(job_.source->number, row);
  const DeviceTimeline& clock = job_.source->clocks.Of(op.device);
  if (!OnLane(&lanes_[row], tids, clock, op.begin, op.end, &tid, &span)) return Shown::kDamaged;
  if (job_.shown_ops != nullptr && !chooser_.Shows(stream, op)) return Shown::kNotAskedFor;
  if ((op.head.flags & kOpOutside) != 0) {
    WriteOutside(stream, op, tid, span);
    return Shown::kOutside;
  }
  const auto met = findings_.collectives.find(op.correlation);
  const bool joined = met != findings_.collectives.end();
  std::string more = joined ? CollectiveArguments(met->second) : std::string();
  AppendModuleOf(op, kernel, &more);
  const bool plain =
      op.type == DeviceOpType::kKernel && kernel != nullptr && stream.arguments() == nullptr;
  const EventParts* parts = plain ? KernelParts(stream, op, *kernel, tid) : nullptr;
  if (parts != nullptr) {
    line_.Write(*parts, span.begin, span.end, job_.Correlation(op.correlation), more);
  } else {
    WriteOp(stream, op, kernel, tid, span, more);
  }
  flows_->Ends(op.correlation, Pid(op.device), tid, span.begin);
  if (wait_flows_->Awaited(op.correlation)) {
    wait_flows_->OnOp(op.correlation, row, clock.Convert(op.begin),
                      {Pid(op.device), tid, span.begin, span.end});
  }
  return Shown::kYes;
}

}  // namespace syncline
