// SPDX-License-Identifier: Apache-2.0
// Each function that PyTorch announces owns its range, by its address.
#include "collectors/torch/operators.h"

#include "inject/core/owned_ranges.h"

namespace syncline::torch {
namespace {

constexpr Source kSource = SYNCLINE_SOURCE_torch;
constexpr OwnedDomain kOperators = {kSource, kOperatorsDomain, uint64_t{kSource} << 32};
constexpr OwnedDomain kNamed = {kSource, kNamedDomain, (uint64_t{kSource} << 32) + 1};

uint64_t OwnerOf(const void* function) { return reinterpret_cast<uintptr_t>(function); }

template <const OwnedDomain& kDomain>
void Begins(const void* function, const char* name) {
  const HookScope scope;
  if (!scope) return;
  ThreadLog& log = scope.log();
  const uint16_t domain = IdOfDomain(log, kDomain);
  const uint32_t id = NameId(log, name);
  NameCacheEntry& entry = NameSlot(log, name);
  const uint8_t marks = entry.marks == 0 || id == 0 ? uint8_t{0} : MarksOfOwned(entry, name, kDomain);
  EnterOwned(log, kDomain, domain, id, OwnerOf(function), marks);
}

void Ends(const void* function) {
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);
  if (scope) LeaveOwned(scope.log(), kSource, OwnerOf(function), end);
}

}  // namespace

const Listener kOperatorRanges = {&Begins<kOperators>, &Ends};
const Listener kNamedRanges = {&Begins<kNamed>, &Ends};

}  // namespace syncline::torch
