// SPDX-License-Identifier: Apache-2.0
// What each kind of record is asked before it goes on.
#include "model/run/gate_filter.h"

namespace syncline {

// Begun while the gate was closed: its begin is the number of a change. From the gate's next
// opening on it was around what was recorded.
void GateFilter::GiveAround(const RangeEvent& event) {
  RangeRecord record = event.record;
  record.begin = gate_.OpenedAfter(record.begin);
  if (record.begin == 0 || (record.end != 0 && record.end < record.begin)) return;
  SinkFan::OnRangeAround({event.stream, record, nullptr, nullptr});
}

void GateFilter::OnRange(const RangeEvent& event) {
  if ((event.record.head.flags & kBegunClosed) != 0) return GiveAround(event);
  if (IsAsked(event.record.begin, kGatedRanges)) SinkFan::OnRange(event);
}

void GateFilter::OnOpenRange(const RangeEvent& event) {
  if ((event.record.head.flags & kBegunClosed) != 0) return GiveAround(event);
  if (IsAsked(event.record.begin, kGatedRanges)) SinkFan::OnOpenRange(event);
}

void GateFilter::OnRangeStart(const RangeEvent& event) {
  if (IsAsked(event.record.begin, kGatedRanges)) return SinkFan::OnRangeStart(event);
  dropped_.insert(event.record.end);
}

void GateFilter::OnRangeEnd(const RangeEvent& event) {
  if (!dropped_.contains(event.record.end)) SinkFan::OnRangeEnd(event);
}

void GateFilter::OnMark(const RangeEvent& event) {
  if (IsAsked(event.record.begin, kGatedRanges)) SinkFan::OnMark(event);
}

void GateFilter::OnCall(Stream& stream, const CallRecord& call) {
  if (IsAsked(call.begin, kGatedCalls)) SinkFan::OnCall(stream, call);
}

void GateFilter::OnOpenCall(Stream& stream, const CallRecord& call) {
  if (IsAsked(call.begin, kGatedCalls)) SinkFan::OnOpenCall(stream, call);
}

void GateFilter::OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel) {
  if (gate_.IsRecorded(op)) return SinkFan::OnDeviceOp(stream, op, kernel);
  if (!gate_.IsNear(op)) {
    ++left_out_[kGatedDeviceOps];
    return;
  }
  DeviceOpRecord outside = op;
  outside.head.flags |= kOpOutside;
  SinkFan::OnDeviceOp(stream, outside, kernel);
}

// A synchronisation goes with its call. What lasts stays: events, contexts, streams, memory, that a
// stream waits for an event, and that the vendor tells of loading and of full queues at all.
void GateFilter::OnDeviceEvent(Stream& stream, const DeviceEventRecord& note) {
  const bool of_call =
      note.type == DeviceEventType::kSync || note.type == DeviceEventType::kOverhead;
  if (!of_call || note.correlation == 0 || gate_.IsRecorded(note))
    return SinkFan::OnDeviceEvent(stream, note);
  if (note.type == DeviceEventType::kSync &&
      note.detail != static_cast<uint8_t>(DeviceSyncKind::kStreamWaitEvent))
    return;
  DeviceEventRecord outside = note;
  outside.head.flags |= kOpOutside;
  SinkFan::OnDeviceEvent(stream, outside);
}

}  // namespace syncline
