// SPDX-License-Identifier: Apache-2.0
// Each function owns its ranges.
#include "collectors/python/ranges.h"

#include "inject/core/defined_contents.h"
#include "inject/core/owned_ranges.h"

namespace syncline::python {
namespace {

constexpr Source kSource = SYNCLINE_SOURCE_python;
constexpr OwnedDomain kDomain = {kSource, "py", uint64_t{kSource} << 32};

bool Knows(const NameCacheEntry& entry, const Chosen& function) {
  return entry.key == &function && PlainBytes(entry) == kHandleName;
}

// Names are forgotten and defined again under other ids: by what a range is left, must stay.
uint64_t OwnerOf(const Chosen& function) { return reinterpret_cast<uintptr_t>(&function); }

// Null: too deep (counted).
inline const OpenRange* Open(ThreadLog& log, const Chosen& function) {
  const uint16_t domain = IdOfDomain(log, kDomain);
  NameCacheEntry& entry = NameSlot(log, &function);
  const uint32_t name =
      __builtin_expect(Knows(entry, function), 1)
          ? entry.id
          : DefineName(log, entry, &function, function.name, function.bytes, true);
  const uint8_t marks = MarksOfOwned(entry, {function.name, function.bytes}, kDomain);
  return EnterOwned(log, kDomain, domain, name, OwnerOf(function), marks);
}

// 0: they could not be recorded (counted). The thread's stack may be elsewhere afterwards.
uint32_t DetailsId(ThreadLog& log, const uint64_t* words, size_t count) {
  return count == 0 ? 0 : ContentId(log, words, count);
}

void SetDetails(OpenRange* range, uint32_t details) {
  range->attributes = {};
  range->attributes.payload_type = static_cast<uint32_t>(PayloadType::kDetails);
  range->attributes.arguments = details;
  // After them: whoever reads the range after a crash finds them.
  std::atomic_signal_fence(std::memory_order_release);
  range->flags |= kHasAttributes;
}

bool IsRecorded(const OpenRange& range) { return (range.flags & (kBegunClosed | kNameLost)) == 0; }

// Whether the thread's innermost range is the function's, and recorded.
bool IsOnTop(const ThreadLog& log, const Chosen& function) {
  if (log.depth == 0 || log.over_depth != 0) return false;
  const OpenRange& top = log.stack[log.depth - 1];
  return top.source == kSource && top.owner == OwnerOf(function) && IsRecorded(top);
}

}  // namespace

void Enter(const Chosen& function) {
  const HookScope scope;
  if (scope) Open(scope.log(), function);
}

bool EnterWith(const Chosen& function, const uint64_t* words, size_t count) {
  const HookScope scope;
  if (!scope) return false;
  ThreadLog& log = scope.log();
  // Before its time begins, unless it opens the gate itself.
  uint32_t details = IsClosedFor(log) ? 0 : DetailsId(log, words, count);
  if (Open(log, function) == nullptr || !IsOnTop(log, function)) return false;
  if (details == 0) details = DetailsId(log, words, count);
  if (details != 0) SetDetails(&log.stack[log.depth - 1], details);
  return details != 0 || count == 0;
}

void LeaveWith(const Chosen& function, const uint64_t* words, size_t count) {
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);
  if (!scope) return;
  ThreadLog& log = scope.log();
  if (IsOnTop(log, function)) {
    const uint32_t details = DetailsId(log, words, count);
    if (details != 0) SetDetails(&log.stack[log.depth - 1], details);
  }
  LeaveOwned(log, kSource, OwnerOf(function), end);
}

void Leave(const Chosen& function) {
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);
  if (scope) LeaveOwned(scope.log(), kSource, OwnerOf(function), end);
}

}  // namespace syncline::python
