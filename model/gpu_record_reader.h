// SPDX-License-Identifier: Apache-2.0
// Keeps a process's GPU records, which the first reading of its spool brings.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "model/device_timeline.h"
#include "model/gpu_records.h"
#include "model/name_cache.h"
#include "model/record_sink.h"
#include "model/timeline.h"

namespace syncline {

// One thread.
class GpuRecordReader : public RecordSink {
 public:
  // `room`: how many more calls and operations may be kept, by all who share it. With more, nothing
  // is kept.
  explicit GpuRecordReader(std::shared_ptr<uint64_t> room) : room_(std::move(room)) {}
  ~GpuRecordReader() override { Clear(); }
  GpuRecordReader(const GpuRecordReader&) = delete;
  GpuRecordReader& operator=(const GpuRecordReader&) = delete;

  unsigned Interests() const override { return kCalls | kDevices; }
  void OnCall(Stream& stream, const CallRecord& record) override;
  void OnOpenCall(Stream& stream, const CallRecord& record) override;
  void OnDeviceOp(Stream& stream, const DeviceOpRecord& record, const KernelDetails*) override;
  void OnDeviceNote(Stream&, const DeviceNoteRecord& note) override;
  bool OnBlockDone(uint64_t bytes_read, uint64_t bytes_total) override;

  // After the reading: times of the host, which were ticks, and of devices, which were the
  // vendor's, become nanoseconds on the job's line. Calls that never returned end at `end_ns`.
  void Place(Timeline* host, const DeviceTimeline& device, uint64_t end_ns);
  // Gives the records free, and the room that they took.
  void Clear();

  bool too_many() const { return too_many_; }
  uint64_t kept() const { return records_.calls.size() + records_.ops.size(); }
  GpuRecords& records() { return records_; }
  const GpuRecords& records() const { return records_; }
  // By GpuOp::kernel.
  std::vector<OpLabel>& labels() { return labels_; }

 private:
  bool TakeRoom();
  // Address space for all that the rest of the spool can hold, so that no copy is made as it grows:
  // memory is taken when it is written.
  template <typename Record>
  void Expect(std::vector<Record>* records, uint64_t recorded_bytes) const;
  void Add(Stream& stream, const CallRecord& record, bool open);
  void Sync(const DeviceNoteRecord& note);
  void Overhead(const DeviceNoteRecord& note);
  uint32_t LabelOf(Stream& stream, const DeviceOpRecord& record);
  uint32_t NumberOf(OpLabel label);

  std::shared_ptr<uint64_t> room_;
  bool too_many_ = false;
  uint64_t bytes_left_ = 0;  // of the spool
  GpuRecords records_;
  std::vector<OpLabel> labels_{{}};
  std::map<OpLabel, uint32_t> numbers_;
  NameCache<uint16_t> call_names_;
  NameCache<uint32_t> kernels_;
};

}  // namespace syncline
