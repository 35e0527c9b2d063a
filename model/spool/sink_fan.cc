// SPDX-License-Identifier: Apache-2.0
// A list of sinks for each interest.
#include "model/spool/sink_fan.h"

#include <algorithm>

namespace syncline {

void SinkFan::Add(RecordSink* sink) {
  const unsigned interests = sink->Interests();
  interests_ |= interests;
  all_.push_back(sink);
  if ((interests & kFacts) != 0) facts_.push_back(sink);
  if ((interests & kRanges) != 0) ranges_.push_back(sink);
  if ((interests & kRangesAfterCalls) != 0) ranges_after_calls_.push_back(sink);
  if ((interests & kOperators) != 0) operators_.push_back(sink);
  if ((interests & kCalls) != 0) calls_.push_back(sink);
  if ((interests & kDevices) != 0) devices_.push_back(sink);
  if ((interests & kMemory) != 0) memory_.push_back(sink);
}

void SinkFan::OnProcess(const SpoolProcess& process) {
  for (RecordSink* sink : facts_) sink->OnProcess(process);
}

void SinkFan::OnAnchors(std::span<const Anchor> anchors) {
  for (RecordSink* sink : facts_) sink->OnAnchors(anchors);
}

void SinkFan::OnCounters(const SpoolCounters& counters) {
  for (RecordSink* sink : facts_) sink->OnCounters(counters);
}

void SinkFan::OnGated(const SpoolGate& counts) {
  for (RecordSink* sink : facts_) sink->OnGated(counts);
}

void SinkFan::OnGate(const GateRecord& change) {
  for (RecordSink* sink : all_) sink->OnGate(change);
}

void SinkFan::OnLog(std::string_view text) {
  for (RecordSink* sink : facts_) sink->OnLog(text);
}

void SinkFan::OnEnd(const SpoolEnd& end) {
  for (RecordSink* sink : facts_) sink->OnEnd(end);
}

void SinkFan::OnStream(Stream& stream, const StreamRecord& record) {
  if (record.part != 0) moved_ = std::max(moved_, record.ticks);
  for (RecordSink* sink : all_) sink->OnStream(stream, record);
}

template <typename Give>
void SinkFan::GiveRange(const RangeEvent& event, const Give& give) {
  for (RecordSink* sink : ranges_) give(sink);
  if (__builtin_expect(MayHoldCalls(event), 0)) {
    for (RecordSink* sink : ranges_after_calls_) give(sink);
  }
}

void SinkFan::OnRange(const RangeEvent& event) {
  GiveRange(event, [&](RecordSink* sink) { sink->OnRange(event); });
}

void SinkFan::OnRangeStart(const RangeEvent& event) {
  GiveRange(event, [&](RecordSink* sink) { sink->OnRangeStart(event); });
}

void SinkFan::OnRangeEnd(const RangeEvent& event) {
  GiveRange(event, [&](RecordSink* sink) { sink->OnRangeEnd(event); });
}

void SinkFan::OnMark(const RangeEvent& event) {
  GiveRange(event, [&](RecordSink* sink) { sink->OnMark(event); });
}

void SinkFan::OnOpenRange(const RangeEvent& event) {
  GiveRange(event, [&](RecordSink* sink) { sink->OnOpenRange(event); });
}

void SinkFan::OnRangeAround(const RangeEvent& event) {
  GiveRange(event, [&](RecordSink* sink) { sink->OnRangeAround(event); });
}

void SinkFan::OnOperator(const RangeEvent& event) {
  for (RecordSink* sink : operators_) sink->OnOperator(event);
}

void SinkFan::OnOpenOperator(const RangeEvent& event) {
  for (RecordSink* sink : operators_) sink->OnOpenOperator(event);
}

void SinkFan::OnModule(const RangeEvent& event) {
  for (RecordSink* sink : operators_) sink->OnModule(event);
}

void SinkFan::OnOpenModule(const RangeEvent& event) {
  for (RecordSink* sink : operators_) sink->OnOpenModule(event);
}

void SinkFan::OnCall(Stream& stream, const CallRecord& call) {
  if (!called_) JoinRanges();
  for (RecordSink* sink : calls_) sink->OnCall(stream, call);
}

void SinkFan::OnOpenCall(Stream& stream, const CallRecord& call) {
  if (!called_) JoinRanges();
  for (RecordSink* sink : calls_) sink->OnOpenCall(stream, call);
}

void SinkFan::OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel) {
  for (RecordSink* sink : devices_) sink->OnDeviceOp(stream, op, kernel);
}

void SinkFan::OnGraphNode(Stream& stream, const GraphNodeRecord& node,
                          std::span<const NodeRange> ranges) {
  for (RecordSink* sink : devices_) sink->OnGraphNode(stream, node, ranges);
}

void SinkFan::OnDeviceEvent(Stream& stream, const DeviceEventRecord& note) {
  for (RecordSink* sink : devices_) sink->OnDeviceEvent(stream, note);
}

void SinkFan::OnMemory(Stream& stream, const MemoryRecord& record) {
  for (RecordSink* sink : memory_) sink->OnMemory(stream, record);
}

void SinkFan::OnGpuCoverage(Stream& stream, const GpuCoverageRecord& record) {
  for (RecordSink* sink : devices_) sink->OnGpuCoverage(stream, record);
}

void SinkFan::OnDeviceClock(Stream& stream, const DeviceClockRecord& reading) {
  for (RecordSink* sink : devices_) sink->OnDeviceClock(stream, reading);
}

void SinkFan::OnDevice(Source source, uint64_t device, const DeviceFacts& facts,
                       std::string_view name) {
  for (RecordSink* sink : devices_) sink->OnDevice(source, device, facts, name);
}

void SinkFan::OnThreadName(uint32_t tid, std::string_view name) {
  for (RecordSink* sink : facts_) sink->OnThreadName(tid, name);
}

void SinkFan::OnCategory(uint64_t domain_key, uint32_t category, std::string_view name) {
  for (RecordSink* sink : facts_) sink->OnCategory(domain_key, category, name);
}

void SinkFan::OnResource(uint32_t type, uint64_t identifier, std::string_view name) {
  for (RecordSink* sink : facts_) sink->OnResource(type, identifier, name);
}

// The first call of the spool has come.
void SinkFan::JoinRanges() {
  called_ = true;
  ranges_.insert(ranges_.end(), ranges_after_calls_.begin(), ranges_after_calls_.end());
  ranges_after_calls_.clear();
}

bool SinkFan::OnBlockDone(uint64_t bytes_read, uint64_t bytes_total) {
  bool go_on = true;
  for (RecordSink* sink : all_) go_on = sink->OnBlockDone(bytes_read, bytes_total) && go_on;
  return go_on;
}

}  // namespace syncline
