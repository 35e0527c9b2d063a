// SPDX-License-Identifier: Apache-2.0
// Keeps a process's calls and records of devices, which the first reading of its spool brings: each
// source's for itself.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "model/devices/by_source.h"
#include "model/devices/device_clocks.h"
#include "model/devices/gpu_records.h"
#include "model/devices/source_facts.h"
#include "model/spool/name_cache.h"
#include "model/spool/record_sink.h"
#include "model/spool/timeline.h"

namespace syncline {

// The records of one source. One thread.
class SourceRecordReader {
 public:
  // `room`: how many more calls and operations may be kept, by all readers that share it. One
  // leaves an eighth to those that follow. What comes when there is no more room is left out: the
  // first part is whole. `judged`: the source has rules of waiting, so that calls without work are
  // kept too.
  explicit SourceRecordReader(std::shared_ptr<uint64_t> room, bool judged = true)
      : room_(std::move(room)), least_room_(*room_ / 8), judged_(judged) {}
  ~SourceRecordReader() { Clear(); }
  SourceRecordReader(const SourceRecordReader&) = delete;
  SourceRecordReader& operator=(const SourceRecordReader&) = delete;

  void OnCall(Stream& stream, const CallRecord& record, bool open);
  void OnDeviceOp(Stream& stream, const DeviceOpRecord& record);
  void OnDeviceEvent(const DeviceEventRecord& event);
  // So many bytes of the spool may still come.
  void Expect(uint64_t bytes_left) { bytes_left_ = bytes_left; }

  // After the reading: times of calls, which were ticks, become nanoseconds on the job's line.
  // Calls that never returned end at `end_ns`.
  void PlaceCalls(Timeline* host, uint64_t end_ns);
  // The same of devices' times, which were the vendor's; `clocks` are valid.
  void PlaceDevices(const DeviceClocks& clocks);
  // After these, if there were too many: until when all are kept; 0: not known.
  uint64_t WholeUntilNs() const;
  // Leaves out what ended later.
  void KeepUntil(uint64_t moment_ns);
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
  void ReserveRest(std::vector<Record>* records, uint64_t recorded_bytes) const;
  void Sync(const DeviceEventRecord& note);
  void Overhead(const DeviceEventRecord& note);
  uint32_t LabelOf(Stream& stream, const DeviceOpRecord& record);
  uint32_t NumberOf(OpLabel label);

  std::shared_ptr<uint64_t> room_;
  const uint64_t least_room_;
  const bool judged_;
  bool too_many_ = false;
  uint64_t bytes_left_ = 0;  // of the spool
  GpuRecords records_;
  std::vector<OpLabel> labels_{{}};
  std::map<OpLabel, uint32_t> numbers_;
  NameCache<uint16_t> call_names_;
  NameCache<uint32_t> kernels_;
};

// The records of all sources of one process. One thread.
class SourceRecordReaders : public RecordSink {
 public:
  explicit SourceRecordReaders(std::shared_ptr<uint64_t> room) : room_(std::move(room)) {}

  unsigned Interests() const override { return kCalls | kDevices; }
  void OnCall(Stream& stream, const CallRecord& record) override {
    Of(record.source).OnCall(stream, record, false);
  }
  void OnOpenCall(Stream& stream, const CallRecord& record) override {
    Of(record.source).OnCall(stream, record, true);
  }
  void OnDeviceOp(Stream& stream, const DeviceOpRecord& record, const KernelDetails*) override {
    Of(record.source).OnDeviceOp(stream, record);
  }
  void OnDeviceEvent(Stream&, const DeviceEventRecord& event) override {
    Of(event.source).OnDeviceEvent(event);
  }
  bool OnBlockDone(uint64_t bytes_read, uint64_t bytes_total) override;

  SourceRecordReader& Of(Source source) {
    SourceRecordReader* reader = readers_.Find(source);
    return __builtin_expect(reader != nullptr, 1) ? *reader : Begin(source);
  }

 private:
  SourceRecordReader& Begin(Source source);

  std::shared_ptr<uint64_t> room_;
  uint64_t bytes_left_ = 0;  // of the spool
  BySource<SourceRecordReader> readers_;
};

}  // namespace syncline
