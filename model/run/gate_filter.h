// SPDX-License-Identifier: Apache-2.0
// Hands a sink what was asked for of a process with a gate, and tells it what is only around that.
#pragma once

#include <array>
#include <cstdint>
#include <set>

#include "model/run/gate_history.h"
#include "model/spool/sink_fan.h"

namespace syncline {

using GatedCounts = std::array<uint64_t, kGatedKinds>;

// Stands before the sinks of a reading. Device work whose call was not recorded goes on as
// kOpOutside where it is near a time that was, and is counted and left out elsewhere.
class GateFilter : public SinkFan {
 public:
  GateFilter(const GateHistory& gate, RecordSink* sink) : gate_(gate) { Add(sink); }

  // What was left out here, beside what the process did not record.
  const GatedCounts& left_out() const { return left_out_; }

  void OnRange(const RangeEvent& event) override;
  void OnRangeStart(const RangeEvent& event) override;
  void OnRangeEnd(const RangeEvent& event) override;
  void OnMark(const RangeEvent& event) override;
  void OnOpenRange(const RangeEvent& event) override;
  // What is begun while the gate is closed is around nothing that asks for it.
  void OnOperator(const RangeEvent& event) override {
    if (IsOpenTo(event)) SinkFan::OnOperator(event);
  }
  void OnOpenOperator(const RangeEvent& event) override {
    if (IsOpenTo(event)) SinkFan::OnOpenOperator(event);
  }
  void OnModule(const RangeEvent& event) override {
    if (IsOpenTo(event)) SinkFan::OnModule(event);
  }
  void OnOpenModule(const RangeEvent& event) override {
    if (IsOpenTo(event)) SinkFan::OnOpenModule(event);
  }
  void OnCall(Stream& stream, const CallRecord& call) override;
  void OnOpenCall(Stream& stream, const CallRecord& call) override;
  void OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel) override;
  void OnDeviceEvent(Stream& stream, const DeviceEventRecord& note) override;
  void OnMemory(Stream& stream, const MemoryRecord& record) override {
    if (record.ticks < gate_.end_ticks()) SinkFan::OnMemory(stream, record);
  }

 private:
  bool IsAsked(uint64_t begin, Gated kind) {
    const bool asked = begin < gate_.end_ticks();
    left_out_[kind] += !asked;
    return asked;
  }
  bool IsOpenTo(const RangeEvent& event) {
    return (event.record.head.flags & kBegunClosed) == 0 &&
           IsAsked(event.record.begin, kGatedRanges);
  }
  void GiveAround(const RangeEvent& event);

  const GateHistory& gate_;
  GatedCounts left_out_{};
  std::set<uint64_t> dropped_;  // start/end ranges
};

}  // namespace syncline
