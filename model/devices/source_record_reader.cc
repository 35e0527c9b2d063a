// SPDX-License-Identifier: Apache-2.0
// One function for each kind of record.
#include "model/devices/source_record_reader.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace syncline {
namespace {

constexpr size_t kMostLabels = 1 << 20;
// Devices' records come so much later than their calls, and threads' at most so much later than
// those of others.
constexpr uint64_t kLateNs = 2'000'000'000;

StreamKind KindOf(DeviceStreamKind kind) {
  if (kind == DeviceStreamKind::kNonBlocking) return StreamKind::kNonBlocking;
  return kind == DeviceStreamKind::kDefault ? StreamKind::kLegacy : StreamKind::kBlocking;
}

}  // namespace

bool SourceRecordReader::TakeRoom() {
  if (too_many_) return false;
  too_many_ = *room_ <= least_room_;
  *room_ -= too_many_ ? 0 : 1;
  return !too_many_;
}

template <typename Record>
void SourceRecordReader::ReserveRest(std::vector<Record>* records, uint64_t recorded_bytes) const {
  const uint64_t most = std::min(bytes_left_ / recorded_bytes, *room_) + 1;
  try {
    records->reserve(most);
  } catch (const std::bad_alloc&) {  // a limit of address space: it grows as it can
  }
}

void SourceRecordReader::Clear() {
  *room_ += kept();
  records_ = {};
}

// Times are ticks until Place.
void SourceRecordReader::OnCall(Stream& stream, const CallRecord& record, bool open) {
  if (!judged_ && record.correlation == 0) return;  // neither awaited nor followed by work
  if (!TakeRoom()) return;
  if (records_.calls.empty()) ReserveRest(&records_.calls, sizeof(CallRecord));
  SourceCall call;
  call.begin_ns = record.begin;
  call.end_ns = record.end;
  call.correlation = record.correlation;
  call.tid = stream.tid();
  call.name = call_names_.Get(stream, record.head.id, [&] {
    const std::string_view* name = stream.Name(record.head.id);
    return records_.CallName(name == nullptr ? std::string_view() : *name);
  });
  call.result = record.result;
  call.inner = (record.head.flags & kInnerCall) != 0;
  call.open = open;
  call.role = record.role;
  if (!GaveWork(record)) call.queried = (record.head.flags / kQueriedObject) & 0x3f;
  if (stream.queries() != 0)
    call.queries = static_cast<uint16_t>(std::min<uint32_t>(stream.queries(), UINT16_MAX));
  records_.calls.push_back(call);
}

// Times are the device's until Place.
void SourceRecordReader::OnDeviceOp(Stream& stream, const DeviceOpRecord& record) {
  if (!TakeRoom()) return;
  if (records_.ops.empty()) ReserveRest(&records_.ops, sizeof(DeviceOpRecord));
  GpuOp op;
  op.begin_ns = record.begin;
  op.end_ns = record.end;
  op.bytes = record.bytes;
  op.correlation = record.correlation;
  op.context = record.context;
  op.stream = record.stream;
  op.device = static_cast<uint16_t>(record.device);
  op.type = record.type;
  op.from = record.from;
  op.to = record.to;
  op.kernel = LabelOf(stream, record);
  records_.ops.push_back(op);
}

void SourceRecordReader::OnDeviceEvent(const DeviceEventRecord& note) {
  if (too_many_) return;
  switch (note.type) {
    case DeviceEventType::kSync:
      return Sync(note);
    case DeviceEventType::kEvent:
      records_.events.push_back({note.correlation, note.context, note.stream, note.head.id});
      return;
    case DeviceEventType::kHostFunction:
      return records_.host_functions.push_back({note.correlation, note.context, note.stream});
    case DeviceEventType::kOverhead:
      return Overhead(note);
    case DeviceEventType::kStream:
      return records_.streams.push_back(
          {note.context, note.stream, KindOf(static_cast<DeviceStreamKind>(note.detail))});
    case DeviceEventType::kContext:
      return records_.streams.push_back({note.context, note.stream, StreamKind::kLegacy});
    case DeviceEventType::kAllocation:
      return records_.memory.push_back({note.correlation, note.device});
    case DeviceEventType::kSettings:
      records_.launch_blocking =
          (note.detail & kLaunchesBlock) != 0 ? LaunchBlocking::kOn : LaunchBlocking::kOff;
      return;
    case DeviceEventType::kStreamHandle:
    case DeviceEventType::kContextHandle:
    case DeviceEventType::kDeviceAddress:
      return;
  }
}

void SourceRecordReader::Sync(const DeviceEventRecord& note) {
  static constexpr GpuSyncKind kKinds[] = {GpuSyncKind::kEvent, GpuSyncKind::kStreamWaitEvent,
                                           GpuSyncKind::kStream, GpuSyncKind::kContext};
  if (note.detail < 1 || note.detail > std::size(kKinds)) return;
  const uint32_t stream = note.stream == 0 ? kNoId : note.stream;
  records_.syncs.push_back(
      {note.begin, note.correlation, note.context, stream, note.head.id, kKinds[note.detail - 1]});
}

void SourceRecordReader::Overhead(const DeviceEventRecord& note) {
  const auto kind = static_cast<DeviceOverheadKind>(note.detail);
  const bool full = kind == DeviceOverheadKind::kQueueFull;
  if (!full && kind != DeviceOverheadKind::kModuleLoading &&
      kind != DeviceOverheadKind::kFunctionLoading) {
    return;
  }
  records_.overheads.push_back({note.begin, note.end, note.correlation,
                                full ? GpuOverheadKind::kQueueFull : GpuOverheadKind::kLoading});
}

uint32_t SourceRecordReader::LabelOf(Stream& stream, const DeviceOpRecord& record) {
  if (record.type != DeviceOpType::kKernel)
    return NumberOf({"", record.type, record.from, record.to, record.graph});
  return kernels_.Get(stream, record.head.id, [&] {
    const std::string_view* name = stream.Name(record.head.id);
    OpLabel label;
    if (name != nullptr) label.kernel = *name;
    return NumberOf(std::move(label));
  });
}

uint32_t SourceRecordReader::NumberOf(OpLabel label) {
  const auto found = numbers_.find(label);
  if (found != numbers_.end()) return found->second;
  if (labels_.size() > kMostLabels) return 0;
  const auto number = static_cast<uint32_t>(labels_.size());
  numbers_.emplace(label, number);
  labels_.push_back(std::move(label));
  return number;
}

void SourceRecordReader::PlaceCalls(Timeline* host, uint64_t end_ns) {
  for (SourceCall& call : records_.calls) {
    call.begin_ns = host->Convert(call.begin_ns);
    call.end_ns = call.open ? std::max(call.begin_ns, end_ns) : host->Convert(call.end_ns);
  }
}

void SourceRecordReader::PlaceDevices(const DeviceClocks& clocks) {
  for (GpuOp& op : records_.ops) {
    const DeviceTimeline& device = clocks.Of(op.device);
    op.begin_ns = device.Convert(op.begin_ns);
    op.end_ns = std::max(device.Convert(op.end_ns), op.begin_ns);
  }
  const DeviceTimeline& shared = clocks.Shared();
  for (GpuSync& sync : records_.syncs) sync.begin_ns = shared.Convert(sync.begin_ns);
  for (GpuOverhead& overhead : records_.overheads) {
    overhead.begin_ns = shared.Convert(overhead.begin_ns);
    overhead.end_ns = shared.Convert(overhead.end_ns);
  }
}

uint64_t SourceRecordReader::WholeUntilNs() const {
  uint64_t last_ns = 0;
  for (const GpuOp& op : records_.ops) last_ns = std::max(last_ns, op.end_ns);
  for (const SourceCall& call : records_.calls) {
    if (records_.ops.empty()) last_ns = std::max(last_ns, call.begin_ns);
  }
  return last_ns - std::min(last_ns, kLateNs);
}

void SourceRecordReader::KeepUntil(uint64_t moment_ns) {
  const uint64_t before = kept();
  std::erase_if(records_.calls, [=](const SourceCall& call) { return call.end_ns > moment_ns; });
  std::erase_if(records_.ops, [=](const GpuOp& op) { return op.end_ns > moment_ns; });
  std::erase_if(records_.syncs, [=](const GpuSync& sync) { return sync.begin_ns > moment_ns; });
  std::erase_if(records_.overheads,
                [=](const GpuOverhead& overhead) { return overhead.end_ns > moment_ns; });
  *room_ += before - kept();
}

SourceRecordReader& SourceRecordReaders::Begin(Source source) {
  SourceRecordReader& reader = readers_.Make(source, room_, FactsOfSource(source).waits != nullptr);
  reader.Expect(bytes_left_);
  return reader;
}

bool SourceRecordReaders::OnBlockDone(uint64_t bytes_read, uint64_t bytes_total) {
  bytes_left_ = bytes_total - std::min(bytes_read, bytes_total);
  readers_.Each([this](Source, SourceRecordReader& reader) { reader.Expect(bytes_left_); });
  return true;
}

}  // namespace syncline
