// SPDX-License-Identifier: Apache-2.0
// A range that is not told is forgotten at its start: its end leaves its stage, and no record.
#include "inject/core/started_ranges.h"

#include <cstring>

#include "inject/core/range_gate.h"
#include "inject/core/start_end.h"

namespace syncline {

bool EmitMoment(ThreadLog& log, RecordKind kind, const MomentFacts& facts, uint64_t begin,
                uint64_t end, uint16_t lane) {
  const bool has_attributes = (facts.flags & kHasAttributes) != 0;
  const uint64_t bytes = sizeof(RangeRecord) + (has_attributes ? sizeof(RangeAttributes) : 0);
  char* room = Reserve(log, bytes);
  if (room == nullptr) return false;
  auto* record = reinterpret_cast<RangeRecord*>(room);
  record->head = {static_cast<uint8_t>(kind), facts.flags,
                  static_cast<uint16_t>(bytes / kSlotBytes), facts.name};
  record->begin = begin;
  record->end = end;
  record->domain = facts.domain;
  record->reserved = 0;
  record->source = facts.source;
  record->depth = 0;
  record->lane = lane;
  if (has_attributes)
    std::memcpy(room + sizeof(RangeRecord), facts.attributes, sizeof(RangeAttributes));
  Publish(log, bytes);
  return true;
}

StartedRange StartRange(ThreadLog& log, uint8_t marks, bool has_name, bool stays) {
  const uint8_t entered = marks == 0 ? uint8_t{0} : EnterMarked(log, marks, false);
  const bool closed = IsClosedFor(log);
  if (closed) CountGated(log, kGatedRanges);
  const bool is_told = !closed && has_name;
  if (!is_told && entered == 0 && !(closed && stays)) return {};
  uint16_t lane = 0;
  const uint64_t id = ClaimRange(&lane);
  if (id == 0) {
    if (!closed) CountLoss(kLoss_too_many_open);
    if (entered != 0) LeaveMarked(log, entered);
    return {};
  }
  SetMarks(id, entered);
  if (!is_told) ForgetRange(id);
  return {id, is_told};
}

void TellStart(ThreadLog& log, uint64_t id, uint64_t begin, const MomentFacts& facts) {
  if (EmitMoment(log, RecordKind::kRangeStart, facts, begin, id, LaneOfRange(id))) return;
  CountLoss(kLoss_ring_full);
  ForgetRange(id);
}

void EndStarted(ThreadLog& log, uint64_t id, uint64_t end, const MomentFacts& facts) {
  uint8_t marks;
  switch (ReleaseRange(id, &marks)) {
    case EndResult::kRecorded:
      if (!EmitMoment(log, RecordKind::kRangeEnd, facts, end, id, 0)) CountLoss(kLoss_ring_full);
      break;
    case EndResult::kForgotten:
      break;
    case EndResult::kUnknown:
      CountLoss(kLoss_unbalanced_pop);
      break;
  }
  if (marks != 0) LeaveMarked(log, marks);
}

void LoseEnd(uint64_t id) {
  uint8_t marks;
  if (ReleaseRange(id, &marks) == EndResult::kRecorded)
    CountLoss(t_log != nullptr ? kLoss_nested_signal : kLoss_no_ring);
}

}  // namespace syncline
