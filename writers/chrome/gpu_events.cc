// SPDX-License-Identifier: Apache-2.0
// Names, keys and their order are those that Kineto writes and HTA reads.
#include "writers/chrome/gpu_events.h"

#include <algorithm>
#include <cstring>

#include "model/devices/operation_name.h"
#include "symbols/demangle.h"
#include "writers/chrome/layout/occupancy.h"
#include "writers/chrome/text/json.h"
#include "writers/chrome/text/payload_text.h"

namespace syncline {
namespace {

constexpr uint64_t kFlowsPerRank = uint64_t{1} << 40;
// Numbers of arrows to waits, above those of the calls of 255 SourceRuns; the others have none.
constexpr uint32_t kMostWithFlows = 255;
constexpr uint64_t kFirstWaitFlow = uint64_t{kMostWithFlows} << 32;
constexpr size_t kNamesKept = 1 << 16;

const OwnCode kNoOwnCode;

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

constexpr size_t kFlowRoom = 4 * kMaxNumberChars + 128;

std::string Word(const GpuJob& job, const char* before, const char* after) {
  const SourceFacts& facts = job.source->facts;
  return before + std::string(facts.trace_word != nullptr ? facts.trace_word : facts.name) + after;
}

}  // namespace

GpuEvents::GpuEvents(const GpuJob& job)
    : job_(job),
      chooser_(job.shown),
      survey_(job.source->survey),
      number_(job.source->number),
      first_pid_(job.rows->FirstPid(job.source->source)),
      upper_calls_(Word(job, "", "_runtime")),
      lower_calls_(Word(job, "", "_driver")),
      sync_(Word(job, "", "_sync")),
      sync_kind_(Word(job, "", "_sync_kind")),
      wait_on_correlation_(Word(job, "wait_on_", "_event_record_corr_id")),
      wait_on_event_(Word(job, "wait_on_", "_event_id")),
      text_(findings(), number_),
      flows_(findings()),
      places_(job.own == nullptr ? kNoOwnCode : *job.own) {
  const std::vector<Wait>& waits = findings().waits;
  for (size_t i = 0; i < waits.size(); ++i) waits_of_calls_.try_emplace(waits[i].correlation, i);
}

uint64_t GpuEvents::Correlation(uint32_t correlation) const {
  return TraceCorrelation(number_, correlation);
}

const char* GpuEvents::CategoryOf(const CallRecord& call) const {
  return ((call.head.flags & kDriverCall) != 0 ? lower_calls_ : upper_calls_).c_str();
}

uint64_t GpuEvents::FlowsOfRank() const {
  return static_cast<uint64_t>(std::max(job_.rank, 0)) * kFlowsPerRank;
}

void GpuEvents::Key(std::string_view key) {
  line_.append(first_argument_ ? "\"" : ", \"").append(key).append("\": ");
  first_argument_ = false;
}

void GpuEvents::Number(std::string_view key, uint64_t value) {
  Key(key);
  AppendUint(&line_, value);
}

void GpuEvents::Triple(std::string_view key, const uint32_t* values) {
  Key(key);
  for (int i = 0; i < 3; ++i) {
    line_.append(i == 0 ? "[" : ", ");
    AppendUint(&line_, values[i]);
  }
  line_.push_back(']');
}

void GpuEvents::Head(std::string_view category, std::string_view name, uint32_t pid, uint32_t tid) {
  line_.assign(",\n{\"ph\": \"X\", \"cat\": \"").append(category).append("\", \"name\": ");
  AppendString(&line_, name);
  line_.append(", \"pid\": ");
  AppendUint(&line_, pid);
  line_.append(", \"tid\": ");
  AppendUint(&line_, tid);
  line_.append(", \"ts\": ");
}

void GpuEvents::BeginArguments() {
  line_.append(", \"args\": {");
  first_argument_ = true;
}

void GpuEvents::Begin(std::string_view category, std::string_view name, uint32_t pid, uint32_t tid,
                      uint64_t begin, uint64_t end) {
  Head(category, name, pid, tid);
  job_.time.AppendSpan(&line_, begin, end);
  BeginArguments();
}

// An event of known parts. `more`: members behind them, or nothing.
void GpuEvents::WriteParts(const EventParts& parts, uint64_t begin, uint64_t end,
                           uint32_t correlation, std::string_view more) {
  char* out = job_.out->Reserve(parts.head.size() + parts.middle.size() + parts.tail.size() +
                                more.size() + kMaxSpanChars + kMaxNumberChars + 8);
  out = job_.time.PutSpan(Put(out, parts.head), begin, end);
  out = PutUint(Put(out, parts.middle), Correlation(correlation));
  out = Put(out, parts.tail);
  if (!more.empty()) out = Put(Put(out, ", "), more);
  job_.out->Commit(Put(out, "}}"));
}

void GpuEvents::Finish(uint32_t stack) {
  line_.append("}");
  if (stack != 0) {
    line_.append(", \"sf\": ");
    AppendUint(&line_, stack);
  }
  line_.append("}");
  job_.out->Append(line_);
}

void GpuEvents::Flow(bool starts, uint32_t correlation, uint32_t pid, uint32_t tid, uint64_t at) {
  if (number_ >= kMostWithFlows) return;
  if (!survey_.calls.Has(correlation) || !survey_.ops.Has(correlation)) return;
  if (job_.shown_ops != nullptr && !job_.shown_ops->Has(job_.source->source, correlation)) return;
  char* out = job_.out->Reserve(kFlowRoom);
  out = Put(out, starts ? ",\n{\"ph\": \"s\", \"id\": " : ",\n{\"ph\": \"f\", \"id\": ");
  out = PutUint(out, FlowsOfRank() + Correlation(correlation));
  out = PutUint(Put(out, ", \"pid\": "), pid);
  out = PutUint(Put(out, ", \"tid\": "), tid);
  out = job_.time.PutTime(Put(out, ", \"ts\": "), at);
  out = Put(out, ", \"cat\": \"ac2g\", \"name\": \"ac2g\"");
  job_.out->Commit(Put(out, starts ? "}" : ", \"bp\": \"e\"}"));
}

void GpuEvents::Call(Stream& stream, const CallRecord& call, uint64_t begin, uint64_t end,
                     uint32_t pid, uint32_t tid, const char* closed_because) {
  const bool waited = waits_of_calls_.contains(call.correlation);
  const bool plain = call.result == 0 && call.correlation != 0 && closed_because == nullptr;
  if ((call.head.flags & kInnerCall) != 0 || !plain || waited || stream.arguments() != nullptr ||
      stream.stack() != nullptr)
    return OddCall(stream, call, begin, end, pid, tid, closed_because);
  bool known;
  EventParts* parts =
      call_parts_.Find({uint64_t{stream.serial()} << 32 | call.head.id, uint64_t{pid} << 32 | tid,
                        uint64_t{call.head.flags} & kDriverCall},
                       &known);
  if (!known) {
    const std::string_view* name = stream.Name(call.head.id);
    Head(CategoryOf(call), name == nullptr ? "(name lost)" : *name, pid, tid);
    parts->head = line_;
    line_.clear();
    BeginArguments();
    Number("cbid", stream.CallNumber(call.head.id));
    Key("correlation");
    parts->middle = line_;
  }
  WriteParts(*parts, begin, end, call.correlation, {});
  Flow(true, call.correlation, pid, tid, begin);
}

// With arguments that other calls of its name do not have.
void GpuEvents::OddCall(Stream& stream, const CallRecord& call, uint64_t begin, uint64_t end,
                        uint32_t pid, uint32_t tid, const char* closed_because) {
  const std::string_view* name = stream.Name(call.head.id);
  const bool inner = (call.head.flags & kInnerCall) != 0;
  Begin(CategoryOf(call), name == nullptr ? "(name lost)" : *name, pid, tid, begin, end);
  Number("cbid", stream.CallNumber(call.head.id));
  // HTA takes one call for each correlation.
  if (!inner && call.correlation != 0) Number("correlation", Correlation(call.correlation));
  if (call.result != 0) Number("error", call.result);
  const auto wait = inner ? waits_of_calls_.end() : waits_of_calls_.find(call.correlation);
  if (wait != waits_of_calls_.end()) Members(text_.CallArguments(findings().waits[wait->second]));
  const uint32_t stack = PlaceInCode(stream);
  Arguments(stream);
  if (closed_because != nullptr) {
    Key("closed_by");
    AppendString(&line_, "syncline");
    Key("reason");
    AppendString(&line_, closed_because);
  }
  Finish(stack);
  if (!inner) Flow(true, call.correlation, pid, tid, begin);
}

// Typed arguments of what is being written.
void GpuEvents::Arguments(Stream& stream) {
  if (stream.arguments() == nullptr) return;
  Key("arguments");
  AppendPayload(stream, stream.arguments()->back(), &line_);
}

// The Python stack of the call that is being written.
uint32_t GpuEvents::PlaceInCode(const Stream& stream) {
  if (stream.stack() == nullptr) return 0;
  const CodeLocation& place = places_.Of(stream.stack());
  if (!place.where.empty()) {
    Key("where");
    AppendString(&line_, place.where);
  }
  Key("stack");
  AppendString(&line_, place.stack);
  if (job_.stacks == nullptr) return 0;
  const auto [number, is_new] = stack_numbers_.try_emplace(stream.stack(), 0);
  if (is_new) number->second = job_.stacks->Add(*stream.stack());
  return number->second;
}

void GpuEvents::Members(std::string_view members) {
  line_.append(first_argument_ ? "" : ", ").append(members);
  first_argument_ = false;
}

// Slices of one row come in order; what overlaps the one before it begins later. False: nothing is
// left of it.
bool GpuEvents::WriteFinding(FindingSlice* slice, uint64_t* last_end) {
  slice->begin = std::max(slice->begin, *last_end);
  if (slice->begin > slice->end) return false;
  *last_end = slice->end;
  Begin(slice->category, slice->name, slice->pid, slice->tid, slice->begin, slice->end);
  line_.append(slice->arguments);
  Finish();
  return true;
}

uint64_t GpuEvents::WriteFindings(const RowIds& rows, const Survey& survey) {
  uint64_t left_out = 0;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> ends;
  const Findings& found = findings();
  const uint32_t order = job_.source->order;
  for (size_t i = 0; i < found.waits.size(); ++i) {
    const Wait& wait = found.waits[i];
    if (!job_.limits.Hold(wait.begin_ns, wait.end_ns)) {
      ++left_out;
      continue;
    }
    const auto thread = survey.threads.find(wait.tid);
    const bool main = thread != survey.threads.end() && thread->second.main;
    FindingSlice slice{"sync_wait",
                       text_.WaitName(i),
                       text_.WaitArguments(i),
                       rows.pid,
                       rows.Waits(wait.tid, main, order),
                       wait.begin_ns,
                       wait.end_ns};
    if (!WriteFinding(&slice, &ends[{slice.pid, slice.tid}])) continue;
    flows_.OnWait(i, {slice.pid, slice.tid, slice.begin, slice.end},
                  FlowsOfRank() + kFirstWaitFlow + job_.flows_before + i, job_.time, job_.out);
  }
  for (size_t i = 0; i < found.gaps.size(); ++i) {
    const Gap& gap = found.gaps[i];
    if (!job_.limits.Hold(gap.begin_ns, gap.end_ns)) {
      ++left_out;
      continue;
    }
    FindingSlice slice{"gpu_idle",      text_.GapName(i), text_.GapArguments(i),
                       Pid(gap.device), kIdleTid,         gap.begin_ns,
                       gap.end_ns};
    WriteFinding(&slice, &ends[{slice.pid, slice.tid}]);
  }
  return left_out;
}

// HTA takes what has a stream for work of the GPU: these have none.
void GpuEvents::WriteRanges(const GpuRanges& ranges) {
  for (const GpuRange& range : ranges.ranges) {
    const GpuStream& stream = ranges.streams[range.stream];
    const uint32_t tid = job_.rows->RangeRow(number_, stream, range.row);
    if (tid == 0 || !job_.shown.Lasts(range.begin, range.end)) continue;
    const RangeLabel& label = ranges.labels[range.label];
    Begin("gpu_user_annotation", label.name, Pid(stream.device), tid, range.begin, range.end);
    if (!label.domain.empty()) {
      Key("domain");
      AppendString(&line_, label.domain);
    }
    Finish();
  }
}

const std::string& GpuEvents::KernelName(Stream& stream, uint32_t id) {
  const uint64_t key = uint64_t{stream.serial()} << 32 | id;
  const auto found = kernel_names_.find(key);
  if (found != kernel_names_.end()) return found->second;
  if (kernel_names_.size() >= kNamesKept) kernel_names_.clear();
  const std::string_view* name = stream.Name(id);
  return kernel_names_[key] = name == nullptr ? "(name lost)" : DemangledName(*name);
}

std::string GpuEvents::OpName(Stream& stream, const DeviceOpRecord& op) {
  return op.type == DeviceOpType::kKernel ? KernelName(stream, op.head.id)
                                          : OperationName({"", op.type, op.from, op.to, op.graph});
}

void GpuEvents::KernelArguments(const KernelDetails& kernel, uint32_t device) {
  Number("registers per thread", kernel.registers);
  Number("shared memory", uint64_t{kernel.static_shared} + kernel.dynamic_shared);
  const auto shown = job_.rows->devices().find(Pid(device));
  std::optional<Occupancy> occupancy;
  if (shown != job_.rows->devices().end()) occupancy = OccupancyOf(kernel, shown->second.facts);
  if (occupancy.has_value()) {
    Key("blocks per SM");
    AppendDouble(&line_, occupancy->blocks_per_multiprocessor);
    Key("warps per SM");
    AppendDouble(&line_, occupancy->warps_per_multiprocessor);
  }
  Triple("grid", kernel.grid);
  Triple("block", kernel.block);
  if (occupancy.has_value() && occupancy->percent.has_value())
    Number("est. achieved occupancy %", *occupancy->percent);
  if (kernel.graph_node != 0) Number("graph node id", kernel.graph_node);
}

bool GpuEvents::OnLane(LaneAssigner* lanes, const std::vector<uint32_t>* tids,
                       const DeviceTimeline& clock, uint64_t device_begin, uint64_t device_end,
                       uint32_t* tid, TraceSpan* span) const {
  if (tids == nullptr || !PlaceSpan(lanes, clock, job_.limits, device_begin, device_end, span) ||
      span->lane >= tids->size()) {
    return false;
  }
  *tid = (*tids)[span->lane];
  return true;
}

bool GpuEvents::Note(const DeviceEventRecord& note) {
  if ((note.head.flags & kOpOutside) != 0) return true;
  if (note.type == DeviceEventType::kSync) return Sync(note);
  if (note.type == DeviceEventType::kOverhead) return Overhead(note);
  return true;
}

// HTA takes what has a stream for work of the GPU: only what waits for a stream may have one.
bool GpuEvents::Sync(const DeviceEventRecord& sync) {
  static constexpr const char* kNames[] = {"Sync", "Event Sync", "Stream Wait Event", "Stream Sync",
                                           "Context Sync"};
  const GpuStream row = SyncRow(sync);
  uint32_t tid;
  TraceSpan span;
  const std::vector<uint32_t>* tids = job_.rows->SyncLanes(number_, row);
  if (!OnLane(&sync_lanes_[row], tids, job_.source->clocks.Shared(), sync.begin, sync.end, &tid,
              &span))
    return false;
  const uint32_t device = survey_.DeviceOf(sync.context);
  const char* name = kNames[sync.detail < std::size(kNames) ? sync.detail : 0];
  Begin(sync_, name, Pid(device), tid, span.begin, span.end);
  Key(sync_kind_);
  AppendString(&line_, name);
  Key("stream");
  AppendInt(&line_, row.stream == 0 ? -1 : int64_t{row.stream});
  Number("correlation", Correlation(sync.correlation));
  Number("device", device);
  Number("context", sync.context);
  const EventRecorded* recorded =
      sync.head.id == 0 ? nullptr : survey_.LastRecorded(sync.head.id, sync.correlation);
  if (recorded != nullptr) {
    Number("wait_on_stream", recorded->stream);
    Number(wait_on_correlation_, Correlation(recorded->correlation));
    Number(wait_on_event_, sync.head.id);
  }
  Finish();
  return true;
}

bool GpuEvents::Overhead(const DeviceEventRecord& overhead) {
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
  const std::vector<uint32_t>* tids = job_.rows->OverheadLanes(number_);
  if (!OnLane(&overhead_lanes_, tids, job_.source->clocks.Shared(), overhead.begin, overhead.end,
              &tid, &span)) {
    return false;
  }
  Begin("overhead", kNames[overhead.detail < std::size(kNames) ? overhead.detail : 0],
        job_.rows->OverheadRow(job_.source->source), tid, span.begin, span.end);
  Finish();
  return true;
}

// Bytes of device memory that the process holds, at each change.
uint64_t GpuEvents::Close() {
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
    line_.assign(",\n{\"ph\": \"C\", \"name\": ");
    AppendString(&line_, "memory of pid " + std::to_string(job_.pid));
    line_.append(", \"pid\": ");
    AppendUint(&line_, Pid(change.device));
    line_.append(", \"tid\": 0, \"ts\": ");
    job_.time.AppendTime(&line_, at);
    line_.append(", \"args\": {\"bytes\": ");
    AppendInt(&line_, bytes);
    Finish();
  }
  return left_out;
}

// Null: no cached parts, because something in it is its own.
const EventParts* GpuEvents::KernelParts(Stream& stream, const DeviceOpRecord& op,
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
  Head(Category(op.type), OpName(stream, op), Pid(op.device), tid);
  parts->head = line_;
  line_.clear();
  BeginArguments();
  Number("queued", 0);
  Place(op);
  Key("correlation");
  parts->middle = line_;
  line_.clear();
  KernelArguments(kernel, op.device);
  if (op.graph != 0) Number("graph id", op.graph);
  parts->tail = line_;
  return parts;
}

void GpuEvents::Place(const DeviceOpRecord& op) {
  Number("device", op.device);
  Number("context", op.context);
  Number("stream", op.stream);
}

// What other operations than plain kernels say of themselves.
void GpuEvents::WriteOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel,
                        uint32_t tid, const TraceSpan& span, std::string_view more) {
  Begin(Category(op.type), OpName(stream, op), Pid(op.device), tid, span.begin, span.end);
  if (op.type == DeviceOpType::kKernel) Number("queued", kernel == nullptr ? 0 : kernel->queued);
  Place(op);
  Number("correlation", Correlation(op.correlation));
  if (kernel != nullptr) KernelArguments(*kernel, op.device);
  if (op.type != DeviceOpType::kKernel && op.type != DeviceOpType::kGraph) {
    Number("bytes", op.bytes);
    Key("memory bandwidth (GB/s)");
    const uint64_t ns = op.end - op.begin;
    AppendDouble(&line_, ns == 0 ? 0 : static_cast<double>(op.bytes) / static_cast<double>(ns));
  }
  if (op.type == DeviceOpType::kPeerCopy) {
    Number("fromDevice", op.source_device);
    Number("inDevice", op.device);
    Number("toDevice", op.target_device);
  }
  if (op.graph != 0) Number("graph id", op.graph);
  if (!more.empty()) Members(more);
  Arguments(stream);
  Finish();
}

// Launched while nothing was recorded. Not named and placed as HTA looks for work: it is only there
// to say that the device was busy.
void GpuEvents::WriteOutside(Stream& stream, const DeviceOpRecord& op, uint32_t tid,
                             const TraceSpan& span) {
  Begin("gpu_outside", "outside: " + OpName(stream, op), Pid(op.device), tid, span.begin, span.end);
  Number("device", op.device);
  Number("context", op.context);
  Number("of_stream", op.stream);
  Number("launch", Correlation(op.correlation));
  Finish();
}

GpuEvents::Shown GpuEvents::DeviceOp(Stream& stream, const DeviceOpRecord& op,
                                     const KernelDetails* kernel) {
  const GpuStream row{op.device, op.context, op.stream};
  uint32_t tid;
  TraceSpan span;
  const std::vector<uint32_t>* tids = job_.rows->Lanes(number_, row);
  const DeviceTimeline& clock = job_.source->clocks.Of(op.device);
  if (!OnLane(&lanes_[row], tids, clock, op.begin, op.end, &tid, &span)) return Shown::kDamaged;
  if (job_.shown_ops != nullptr && !chooser_.Shows(stream, op)) return Shown::kNotAskedFor;
  if ((op.head.flags & kOpOutside) != 0) {
    WriteOutside(stream, op, tid, span);
    return Shown::kOutside;
  }
  const auto met = findings().collectives.find(op.correlation);
  const bool joined = met != findings().collectives.end();
  const std::string more = joined ? CollectiveArguments(met->second) : std::string();
  const bool plain =
      op.type == DeviceOpType::kKernel && kernel != nullptr && stream.arguments() == nullptr;
  const EventParts* parts = plain ? KernelParts(stream, op, *kernel, tid) : nullptr;
  if (parts != nullptr) {
    WriteParts(*parts, span.begin, span.end, op.correlation, more);
  } else {
    WriteOp(stream, op, kernel, tid, span, more);
  }
  Flow(false, op.correlation, Pid(op.device), tid, span.begin);
  if (flows_.Awaited(op.correlation)) {
    flows_.OnOp(op.correlation, row, clock.Convert(op.begin),
                {Pid(op.device), tid, span.begin, span.end});
  }
  return Shown::kYes;
}

}  // namespace syncline
