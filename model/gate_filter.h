// SPDX-License-Identifier: Apache-2.0
// Hands a sink what was asked for of a process with a gate, and tells it what is only around that.
#pragma once

#include <array>
#include <cstdint>
#include <set>

#include "model/gate_history.h"

namespace syncline {

using GatedCounts = std::array<uint64_t, kGatedKinds>;

// Stands before the sinks of a reading. Device work whose call was not recorded goes on as
// kOpOutside where it is near a time that was, and is counted and left out elsewhere. One thread.
class GateFilter : public RecordSink {
 public:
  GateFilter(const GateHistory& gate, RecordSink* sink) : gate_(gate), sink_(sink) {}

  // What was left out here, beside what the process did not record.
  const GatedCounts& left_out() const { return left_out_; }

  unsigned Interests() const override { return sink_->Interests(); }
  void OnProcess(const SpoolProcess& process) override { sink_->OnProcess(process); }
  void OnAnchors(std::span<const Anchor> anchors) override { sink_->OnAnchors(anchors); }
  void OnCounters(const SpoolCounters& counters) override { sink_->OnCounters(counters); }
  void OnGated(const SpoolGate& counts) override { sink_->OnGated(counts); }
  void OnLog(std::string_view text) override { sink_->OnLog(text); }
  void OnEnd(const SpoolEnd& end) override { sink_->OnEnd(end); }
  void OnGate(const GateRecord& change) override { sink_->OnGate(change); }
  void OnStream(Stream& stream, const StreamRecord& record) override {
    sink_->OnStream(stream, record);
  }
  void OnRange(const RangeEvent& event) override;
  void OnRangeStart(const RangeEvent& event) override;
  void OnRangeEnd(const RangeEvent& event) override;
  void OnMark(const RangeEvent& event) override;
  void OnOpenRange(const RangeEvent& event) override;
  void OnCall(Stream& stream, const CallRecord& call) override;
  void OnOpenCall(Stream& stream, const CallRecord& call) override;
  void OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel) override;
  void OnDeviceEvent(Stream& stream, const DeviceEventRecord& note) override;
  void OnGpuCoverage(Stream& stream, const GpuCoverageRecord& record) override {
    sink_->OnGpuCoverage(stream, record);
  }
  void OnDeviceClock(Stream& stream, const DeviceClockRecord& reading) override {
    sink_->OnDeviceClock(stream, reading);
  }
  void OnDevice(Source source, uint64_t device, const DeviceFacts& facts,
                std::string_view name) override {
    sink_->OnDevice(source, device, facts, name);
  }
  void OnThreadName(uint32_t tid, std::string_view name) override {
    sink_->OnThreadName(tid, name);
  }
  void OnCategory(uint64_t domain, uint32_t category, std::string_view name) override {
    sink_->OnCategory(domain, category, name);
  }
  void OnResource(uint32_t type, uint64_t identifier, std::string_view name) override {
    sink_->OnResource(type, identifier, name);
  }
  bool OnBlockDone(uint64_t bytes_read, uint64_t bytes_total) override {
    return sink_->OnBlockDone(bytes_read, bytes_total);
  }

 private:
  bool IsAsked(uint64_t begin, Gated kind) {
    const bool asked = begin < gate_.end_ticks();
    left_out_[kind] += !asked;
    return asked;
  }
  void GiveAround(const RangeEvent& event);

  const GateHistory& gate_;
  RecordSink* sink_;
  GatedCounts left_out_{};
  std::set<uint64_t> dropped_;  // start/end ranges
};

}  // namespace syncline
