// SPDX-License-Identifier: Apache-2.0
// Several sinks of one reading.
#pragma once

#include <vector>

#include "model/spool/record_sink.h"

namespace syncline {

// Gives each sink what the sink has an interest in, in the order in which the sinks were added.
// What only annotates costs no more for sinks that ask what was called in a range.
class SinkFan : public RecordSink {
 public:
  void Add(RecordSink* sink);

  unsigned Interests() const override {
    return RecordSink::Interests() | (interests_ & (kStacks | kMemory));
  }
  void OnProcess(const SpoolProcess& process) override;
  void OnAnchors(std::span<const Anchor> anchors) override;
  void OnCounters(const SpoolCounters& counters) override;
  void OnGated(const SpoolGate& counts) override;
  void OnLog(std::string_view text) override;
  void OnEnd(const SpoolEnd& end) override;
  void OnGate(const GateRecord& change) override;
  void OnStream(Stream& stream, const StreamRecord& record) override;
  void OnRange(const RangeEvent& event) override;
  void OnRangeStart(const RangeEvent& event) override;
  void OnRangeEnd(const RangeEvent& event) override;
  void OnMark(const RangeEvent& event) override;
  void OnOpenRange(const RangeEvent& event) override;
  void OnRangeAround(const RangeEvent& event) override;
  void OnOperator(const RangeEvent& event) override;
  void OnOpenOperator(const RangeEvent& event) override;
  void OnModule(const RangeEvent& event) override;
  void OnOpenModule(const RangeEvent& event) override;
  void OnCall(Stream& stream, const CallRecord& call) override;
  void OnOpenCall(Stream& stream, const CallRecord& call) override;
  void OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel) override;
  void OnDeviceEvent(Stream& stream, const DeviceEventRecord& note) override;
  void OnGraphNode(Stream& stream, const GraphNodeRecord& node,
                   std::span<const NodeRange> ranges) override;
  void OnMemory(Stream& stream, const MemoryRecord& record) override;
  void OnGpuCoverage(Stream& stream, const GpuCoverageRecord& record) override;
  void OnDeviceClock(Stream& stream, const DeviceClockRecord& reading) override;
  void OnDevice(Source source, uint64_t device, const DeviceFacts& facts,
                std::string_view name) override;
  void OnThreadName(uint32_t tid, std::string_view name) override;
  void OnCategory(uint64_t domain_key, uint32_t category, std::string_view name) override;
  void OnResource(uint32_t type, uint64_t identifier, std::string_view name) override;
  bool OnBlockDone(uint64_t bytes_read, uint64_t bytes_total) override;

 private:
  void JoinRanges();
  template <typename Give>
  void GiveRange(const RangeEvent& event, const Give& give);
  // Calls in it may still come, from the ring that its thread left.
  bool MayHoldCalls(const RangeEvent& event) const { return event.record.begin <= moved_; }

  std::vector<RecordSink*> all_;
  std::vector<RecordSink*> facts_;
  std::vector<RecordSink*> ranges_;
  std::vector<RecordSink*> ranges_after_calls_;  // join ranges_ later
  std::vector<RecordSink*> operators_;
  std::vector<RecordSink*> calls_;
  std::vector<RecordSink*> devices_;
  std::vector<RecordSink*> memory_;
  unsigned interests_ = 0;
  bool called_ = false;
  uint64_t moved_ = 0;  // ticks: when a thread went to another ring for the last time
};

}  // namespace syncline
