// SPDX-License-Identifier: Apache-2.0
// A row of start/end ranges is held for each call, so that calls which wait for each other or take
// turns on a thread do not mix.
#include "collectors/python/call_ranges.h"

#include "collectors/python/open_calls.h"
#include "inject/core/owned_ranges.h"
#include "inject/core/range_gate.h"
#include "inject/core/start_end.h"

namespace syncline::python {
namespace {

constexpr Source kCallSource = SYNCLINE_SOURCE_python;
constexpr OwnedDomain kCallDomain = {kCallSource, "py.call", (uint64_t{kCallSource} << 32) + 1};

constinit OpenCalls g_open = {};

bool EmitCall(ThreadLog& log, RecordKind kind, uint32_t name, uint64_t time, uint64_t id) {
  RangeRecord record = {};
  record.head = {static_cast<uint8_t>(kind), 0, 1, name};
  record.begin = time;
  record.end = id;
  record.domain = IdOfDomain(log, kCallDomain);
  record.source = kCallSource;
  record.lane = kind == RecordKind::kRangeStart ? LaneOfRange(id) : uint16_t{0};
  return Emit(log, record);
}

// The function's name, as of its stretches. Null: it could not be recorded (counted).
NameCacheEntry* NameOfCall(ThreadLog& log, const Chosen& function) {
  NameCacheEntry& entry = NameSlot(log, &function);
  const bool known = entry.key == &function && PlainBytes(entry) == kHandleName;
  if (!known && DefineName(log, entry, &function, function.name, function.bytes, true) == 0)
    return nullptr;
  return &entry;
}

// 0: the call is not recorded, and opens no stage.
uint64_t BeginRange(ThreadLog& log, const Chosen& function) {
  NameCacheEntry* name = NameOfCall(log, function);
  if (name == nullptr) return 0;
  const uint8_t wanted = MarksOfOwned(*name, {function.name, function.bytes}, kCallDomain);
  const uint8_t marks = wanted == 0 ? wanted : EnterMarked(log, wanted, false);
  const bool closed = IsClosedFor(log);
  if (closed) CountGated(log, kGatedRanges);
  if (closed && marks == 0) return 0;
  uint16_t lane = 0;
  const uint64_t id = ClaimRange(&lane);
  if (id == 0) {
    if (!closed) CountLoss(kLoss_too_many_open);
    if (marks != 0) LeaveMarked(log, marks);
    return 0;
  }
  SetMarks(id, marks);
  if (closed) {
    ForgetRange(id);
  } else if (!EmitCall(log, RecordKind::kRangeStart, name->id, Ticks(), id)) {
    CountLoss(kLoss_ring_full);
    ForgetRange(id);
  }
  return id;
}

void EndRange(ThreadLog& log, uint64_t id, uint64_t end) {
  uint8_t marks;
  const bool is_told = ReleaseRange(id, &marks) == EndResult::kRecorded;
  if (is_told && !EmitCall(log, RecordKind::kRangeEnd, 0, end, id)) CountLoss(kLoss_ring_full);
  if (marks != 0) LeaveMarked(log, marks);
}

// On a thread that cannot record now. A stage stays open, so that too much is recorded, not too
// little.
void LoseEnd(uint64_t id) {
  uint8_t marks;
  if (id != 0 && ReleaseRange(id, &marks) == EndResult::kRecorded) CountLoss(kLoss_no_ring);
}

}  // namespace

void BeginCall(const Chosen& function, const void* frame) {
  const HookScope scope;  // first: in a fork's child it forgets the parent's calls
  const uint64_t stale = g_open.Remove(frame);
  if (!scope) return LoseEnd(stale);
  if (stale != 0) EndRange(scope.log(), stale, Ticks());
  const uint64_t id = BeginRange(scope.log(), function);
  if (id != 0 && !g_open.Add(frame, id)) EndRange(scope.log(), id, Ticks());
}

void EndCall(const void* frame) {
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);
  const uint64_t id = g_open.Remove(frame);
  if (!scope) return LoseEnd(id);
  if (id != 0) EndRange(scope.log(), id, end);
}

void ForgetCalls() {
  g_open.Clear();
  ForgetAllRanges();
}

}  // namespace syncline::python
