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
inline OpenRange* Open(ThreadLog& log, const Chosen& function) {
  const uint16_t domain = IdOfDomain(log, kDomain);
  NameCacheEntry& entry = NameSlot(log, &function);
  const uint32_t name =
      __builtin_expect(Knows(entry, function), 1)
          ? entry.id
          : DefineName(log, entry, &function, function.name, function.bytes, true);
  const uint8_t marks = MarksOfOwned(entry, {function.name, function.bytes}, kDomain);
  return EnterOwned(log, kDomain, domain, name, OwnerOf(function), marks);
}

// `words`: the new ones, or of a range that has none some.
void SetDetails(ThreadLog& log, OpenRange* range, const uint64_t* words, size_t count) {
  RangeAttributes attributes = {};
  attributes.payload_type = static_cast<uint32_t>(PayloadType::kDetails);
  attributes.arguments = ContentId(log, words, count);
  if (attributes.arguments == 0) return;  // counted
  range->attributes = attributes;
  // After them: whoever reads the range after a crash finds them.
  std::atomic_signal_fence(std::memory_order_release);
  range->flags |= kHasAttributes;
}

}  // namespace

void Enter(const Chosen& function) {
  const HookScope scope;
  if (scope) Open(scope.log(), function);
}

bool EnterWith(const Chosen& function, const uint64_t* words, size_t count) {
  const HookScope scope;
  if (!scope) return false;
  OpenRange* range = Open(scope.log(), function);
  const bool is_recorded = range != nullptr && (range->flags & (kBegunClosed | kNameLost)) == 0;
  if (is_recorded && count != 0) SetDetails(scope.log(), range, words, count);
  return is_recorded;
}

void LeaveWith(const Chosen& function, const uint64_t* words, size_t count) {
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);
  if (!scope) return;
  ThreadLog& log = scope.log();
  OpenRange* top = log.depth == 0 || log.over_depth != 0 ? nullptr : &log.stack[log.depth - 1];
  if (top != nullptr && top->source == kSource && top->owner == OwnerOf(function) &&
      (top->flags & (kBegunClosed | kNameLost)) == 0)
    SetDetails(log, top, words, count);
  LeaveOwned(log, kSource, OwnerOf(function), end);
}

void Leave(const Chosen& function) {
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);
  if (scope) LeaveOwned(scope.log(), kSource, OwnerOf(function), end);
}

}  // namespace syncline::python
