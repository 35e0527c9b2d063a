// SPDX-License-Identifier: Apache-2.0
// First reading of a spool, for the rows of GPUs: how many lanes each needs.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/gpu_survey.h"
#include "model/record_sink.h"
#include "writers/chrome/lanes.h"
#include "writers/chrome/trace_span.h"

namespace syncline {

// Where a synchronisation stands: with its stream, or with the context (stream 0). The device is
// not known yet: 0.
GpuStream SyncRow(const DeviceNoteRecord& sync);

// The number of streams is capped; what stands on others is not shown.
class DeviceLanes : public RecordSink {
 public:
  // Of more operations than `most_places` the places are not kept, of none.
  explicit DeviceLanes(uint64_t most_places = UINT64_MAX) : most_places_(most_places) {}

  unsigned Interests() const override { return kDevices; }
  void OnDeviceOp(Stream&, const DeviceOpRecord& op, const KernelDetails*) override { Place(op); }
  void OnDeviceNote(Stream&, const DeviceNoteRecord& note) override { Place(note); }

  void Place(const DeviceOpRecord& op);
  void Place(const DeviceNoteRecord& note);

  std::map<GpuStream, LaneAssigner> streams;
  std::map<GpuStream, LaneAssigner> syncs;  // by SyncRow
  LaneAssigner overheads;
  std::vector<LanePlace> places;          // of the operations, in their order
  std::vector<GpuStream> order;           // the streams as their first operations came ...
  std::map<GpuStream, uint32_t> numbers;  // ... and their places in it

 private:
  uint64_t most_places_;
};

}  // namespace syncline
