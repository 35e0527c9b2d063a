// SPDX-License-Identifier: Apache-2.0
// Each function owns its ranges.
#include "collectors/python/ranges.h"

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

}  // namespace

void Enter(const Chosen& function) {
  const HookScope scope;
  if (!scope) return;
  ThreadLog& log = scope.log();
  const uint16_t domain = IdOfDomain(log, kDomain);
  NameCacheEntry& entry = NameSlot(log, &function);
  const uint32_t name =
      __builtin_expect(Knows(entry, function), 1)
          ? entry.id
          : DefineName(log, entry, &function, function.name, function.bytes, true);
  const uint8_t marks = MarksOfOwned(entry, {function.name, function.bytes}, kDomain);
  EnterOwned(log, kDomain, domain, name, OwnerOf(function), marks);
}

void Leave(const Chosen& function) {
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);
  if (scope) LeaveOwned(scope.log(), kSource, OwnerOf(function), end);
}

}  // namespace syncline::python
