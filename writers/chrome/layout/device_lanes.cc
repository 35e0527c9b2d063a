// SPDX-License-Identifier: Apache-2.0
// A place for each, in the order of the spool.
#include "writers/chrome/layout/device_lanes.h"

namespace syncline {
namespace {

constexpr size_t kMaxStreams = 1 << 16;

}  // namespace

GpuStream SyncRow(const DeviceEventRecord& sync) {
  const auto kind = static_cast<DeviceSyncKind>(sync.detail);
  const bool of_stream =
      kind == DeviceSyncKind::kStream || kind == DeviceSyncKind::kStreamWaitEvent;
  return {0, sync.context, of_stream ? sync.stream : 0};
}

void DeviceLanes::Place(const DeviceOpRecord& op) {
  const GpuStream stream{op.device, op.context, op.stream};
  auto found = streams.find(stream);
  if (found == streams.end() && streams.size() < kMaxStreams) {
    found = streams.try_emplace(stream).first;
    numbers[stream] = static_cast<uint32_t>(order.size());
    order.push_back(stream);
  }
  const bool known = found != streams.end();
  const LanePlace place = known ? PlaceOn(&found->second, op.begin, op.end) : LanePlace{};
  if (places.size() < most_places_) {
    places.push_back(place);
  } else {
    most_places_ = 0;
    places = {};
  }
}

void DeviceLanes::Place(const DeviceEventRecord& note) {
  if (note.type == DeviceEventType::kSync) {
    if (syncs.size() < kMaxStreams) syncs[SyncRow(note)].Place(note.begin, note.end);
  } else if (note.type == DeviceEventType::kOverhead) {
    overheads.Place(note.begin, note.end);
  }
}

}  // namespace syncline
