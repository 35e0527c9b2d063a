// SPDX-License-Identifier: Apache-2.0
// A row of start/end ranges is held for each call, so that calls which wait for each other or take
// turns on a thread do not mix.
#include "collectors/python/call_ranges.h"

#include <sys/mman.h>

#include <cstring>

#include "collectors/python/open_calls.h"
#include "inject/core/defined_contents.h"
#include "inject/core/owned_ranges.h"
#include "inject/core/range_gate.h"
#include "inject/core/start_end.h"
#include "inject/core/sys.h"

namespace syncline::python {
namespace {

constexpr Source kCallSource = SYNCLINE_SOURCE_python;
constexpr OwnedDomain kCallDomain = {kCallSource, "py.call", (uint64_t{kCallSource} << 32) + 1};

constinit OpenCalls g_open = {};

// By the row that an open call holds; null: no call had any yet. Memory is taken from the system
// and kept.
using Labels = uint64_t[kMostLabelWords];
Labels* g_labels;
uint16_t g_label_counts[kMaxOpen];

struct CallRecordOfRange {
  RangeRecord range;
  RangeAttributes attributes;
};

// `details`: null: there are none.
bool EmitCall(ThreadLog& log, RecordKind kind, uint32_t name, uint64_t time, uint64_t id,
              const CallDetails* details) {
  CallRecordOfRange record = {};
  record.range.head = {static_cast<uint8_t>(kind), 0, 1, name};
  record.range.begin = time;
  record.range.end = id;
  record.range.domain = IdOfDomain(log, kCallDomain);
  record.range.source = kCallSource;
  record.range.lane = kind == RecordKind::kRangeStart ? LaneOfRange(id) : uint16_t{0};
  const bool has_details = details != nullptr && details->count != 0;
  if (has_details) record.attributes.arguments = ContentId(log, details->words, details->count);
  if (record.attributes.arguments == 0) return Emit(log, record.range);  // if lost, counted
  record.range.head.flags = kHasAttributes;
  record.range.head.slots = sizeof(record) / kSlotBytes;
  record.attributes.payload_type = static_cast<uint32_t>(PayloadType::kDetails);
  return Emit(log, record);
}

bool MakeLabels() {
  if (g_labels == nullptr) {
    g_labels = static_cast<Labels*>(
        SysMap(sizeof(Labels) * kMaxOpen, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  }
  return g_labels != nullptr;
}

void KeepLabels(uint64_t id, const CallDetails* details) {
  const uint16_t lane = LaneOfRange(id);
  const size_t count = details == nullptr ? 0 : details->label_count;
  const bool is_kept = count != 0 && count <= kMostLabelWords && MakeLabels();
  g_label_counts[lane] = is_kept ? static_cast<uint16_t>(count) : uint16_t{0};
  if (is_kept) std::memcpy(g_labels[lane], details->words, count * sizeof(uint64_t));
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
uint64_t BeginRange(ThreadLog& log, const Chosen& function, const CallDetails* details) {
  NameCacheEntry* name = NameOfCall(log, function);
  if (name == nullptr) return 0;
  const uint8_t wanted = MarksOfOwned(*name, {function.name, function.bytes}, kCallDomain);
  const uint8_t marks = wanted == 0 ? wanted : EnterMarked(log, wanted, false);
  const bool closed = IsClosedFor(log);
  if (closed) CountGated(log, kGatedRanges);
  // Stretches of it that are recorded later bear its labels.
  const bool is_kept = marks != 0 || (details != nullptr && details->label_count != 0);
  if (closed && !is_kept) return 0;
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
  } else if (!EmitCall(log, RecordKind::kRangeStart, name->id, Ticks(), id, details)) {
    CountLoss(kLoss_ring_full);
    ForgetRange(id);
  }
  return id;
}

// `function`: null: not known, and there are no details.
void EndRange(ThreadLog& log, uint64_t id, uint64_t end, const Chosen* function = nullptr,
              const CallDetails* details = nullptr) {
  uint8_t marks;
  const bool is_told = ReleaseRange(id, &marks) == EndResult::kRecorded;
  const NameCacheEntry* name = is_told && details != nullptr ? NameOfCall(log, *function) : nullptr;
  const uint32_t name_id = name == nullptr ? 0 : name->id;
  if (is_told && !EmitCall(log, RecordKind::kRangeEnd, name_id, end, id, details))
    CountLoss(kLoss_ring_full);
  if (marks != 0) LeaveMarked(log, marks);
}

// On a thread that cannot record now. A stage stays open, so that too much is recorded, not too
// little.
void LoseEnd(uint64_t id) {
  uint8_t marks;
  if (id != 0 && ReleaseRange(id, &marks) == EndResult::kRecorded) CountLoss(kLoss_no_ring);
}

}  // namespace

bool BeginCall(const Chosen& function, const void* frame, const CallDetails* details) {
  const HookScope scope;  // first: in a fork's child it forgets the parent's calls
  const uint64_t stale = g_open.Remove(frame);
  if (!scope) return LoseEnd(stale), false;
  if (stale != 0) EndRange(scope.log(), stale, Ticks());
  const uint64_t id = BeginRange(scope.log(), function, details);
  if (id == 0) return false;
  KeepLabels(id, details);
  if (g_open.Add(frame, id)) return !IsClosedFor(scope.log());
  EndRange(scope.log(), id, Ticks());
  return false;
}

void EndCall(const Chosen& function, const void* frame, const CallDetails* details) {
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);
  const uint64_t id = g_open.Remove(frame);
  if (!scope) return LoseEnd(id);
  if (id != 0) EndRange(scope.log(), id, end, &function, details);
}

LabelWords LabelsOfCall(const void* frame) {
  const uint64_t id = g_open.Find(frame);
  if (id == 0) return {nullptr, 0};
  const uint16_t lane = LaneOfRange(id);
  if (g_label_counts[lane] == 0) return {nullptr, 0};
  return {g_labels[lane], g_label_counts[lane]};
}

void ForgetCalls() {
  g_open.Clear();
  ForgetAllRanges();
}

}  // namespace syncline::python
