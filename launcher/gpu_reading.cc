// SPDX-License-Identifier: Apache-2.0
// One function for each kind of record.
#include "launcher/gpu_reading.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "writers/demangle.h"
#include "writers/kernel_name.h"

namespace syncline {
namespace {

constexpr size_t kMostKernels = 1 << 20;

StreamKind KindOf(DeviceStreamKind kind) {
  if (kind == DeviceStreamKind::kNonBlocking) return StreamKind::kNonBlocking;
  return kind == DeviceStreamKind::kDefault ? StreamKind::kLegacy : StreamKind::kBlocking;
}

}  // namespace

GpuReading::GpuReading(const DeriveRequest& request, uint64_t most, GpuRecords* records)
    : request_(request), most_(most), records_(records) {}

void GpuReading::OnCall(Stream& stream, const CallRecord& record) { Add(stream, record, false); }

void GpuReading::OnOpenCall(Stream& stream, const CallRecord& record) { Add(stream, record, true); }

void GpuReading::Add(Stream& stream, const CallRecord& record, bool open) {
  const std::string_view* name = stream.Name(record.head.id);
  GpuCall call;
  call.begin_ns = request_.host.Convert(record.begin);
  call.end_ns = open ? std::max(call.begin_ns, request_.end_ns) : request_.host.Convert(record.end);
  call.correlation = record.correlation;
  call.tid = stream.tid();
  call.name = records_->CallName(name == nullptr ? std::string_view() : *name);
  call.result = record.result;
  call.inner = (record.head.flags & kInnerCall) != 0;
  call.open = open;
  if (!GaveWork(record)) call.queried = static_cast<uint8_t>(record.head.flags / kQueriedObject);
  records_->calls.push_back(call);
}

void GpuReading::OnDeviceOp(Stream& stream, const DeviceOpRecord& record, const KernelDetails*) {
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

void GpuReading::OnDeviceNote(Stream&, const DeviceNoteRecord& note) {
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

void GpuReading::Sync(const DeviceNoteRecord& note) {
  static constexpr GpuSyncKind kKinds[] = {GpuSyncKind::kEvent, GpuSyncKind::kStreamWaitEvent,
                                           GpuSyncKind::kStream, GpuSyncKind::kContext};
  if (note.detail < 1 || note.detail > std::size(kKinds)) return;
  const uint32_t stream = note.stream == 0 ? kNoId : note.stream;
  records_->syncs.push_back({request_.device.Convert(note.begin), note.correlation, note.context,
                             stream, note.head.id, kKinds[note.detail - 1]});
}

void GpuReading::Overhead(const DeviceNoteRecord& note) {
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

uint32_t GpuReading::NameOf(std::string name) {
  if (numbers_.size() >= kMostKernels && !numbers_.contains(name)) return 0;
  const auto [found, made] =
      numbers_.try_emplace(std::move(name), static_cast<uint32_t>(names_.size()));
  if (made) names_.push_back(DemangledName(found->first));
  return found->second;
}

}  // namespace syncline
