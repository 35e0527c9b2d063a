// SPDX-License-Identifier: Apache-2.0
// First reading of a spool, for the rows of GPUs: how many lanes each needs.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/devices/by_source.h"
#include "model/devices/device_survey.h"
#include "model/spool/record_sink.h"
#include "writers/chrome/layout/lanes.h"
#include "writers/chrome/layout/trace_span.h"

namespace syncline {

// Where a synchronisation stands: with its stream, or with the context (stream 0). The device is
// not known yet: 0.
GpuStream SyncRow(const DeviceEventRecord& sync);

// The lanes of one source. The number of streams is capped; operations on others are not shown.
class DeviceLanes {
 public:
  // If there are more operations than `most_places`, no places are kept.
  explicit DeviceLanes(uint64_t most_places = UINT64_MAX) : most_places_(most_places) {}

  void Place(const DeviceOpRecord& op);
  void Place(const DeviceEventRecord& note);

  std::map<GpuStream, LaneAssigner> streams;
  std::map<GpuStream, LaneAssigner> syncs;  // by SyncRow
  LaneAssigner overheads;
  std::vector<LanePlace> places;          // of the operations, in their order
  std::vector<GpuStream> order;           // the streams as their first operations came ...
  std::map<GpuStream, uint32_t> numbers;  // ... and their places in it

 private:
  uint64_t most_places_;
};

// The lanes of all sources of a spool.
class SourceLanes : public RecordSink {
 public:
  explicit SourceLanes(uint64_t most_places) : most_places_(most_places) {}

  unsigned Interests() const override { return kDevices; }
  void OnDeviceOp(Stream&, const DeviceOpRecord& op, const KernelDetails*) override {
    Of(op.source).Place(op);
  }
  void OnDeviceEvent(Stream&, const DeviceEventRecord& event) override {
    Of(event.source).Place(event);
  }

  DeviceLanes& Of(Source source) {
    DeviceLanes* lanes = lanes_.Find(source);
    return lanes != nullptr ? *lanes : lanes_.Make(source, most_places_);
  }

 private:
  const uint64_t most_places_;
  BySource<DeviceLanes> lanes_;
};

}  // namespace syncline
