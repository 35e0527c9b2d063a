// SPDX-License-Identifier: Apache-2.0
// Each function that PyTorch announces owns its range, by its address.
#include "collectors/torch/operators.h"

#include <string_view>

#include "collectors/torch/record_function.h"
#include "inject/core/copied_names.h"
#include "inject/core/domain_marks.h"
#include "inject/core/owned_ranges.h"
#include "inject/core/range_gate.h"
#include "inject/core/sys.h"

namespace syncline::torch {
namespace {

constexpr Source kSource = SYNCLINE_SOURCE_torch;
constexpr OwnedDomain kOperators = {kSource, kOperatorsDomain, uint64_t{kSource} << 32,
                                    kDomainOfOperators};
constexpr OwnedDomain kNamed = {kSource, kNamedDomain, (uint64_t{kSource} << 32) + 1};

uint64_t OwnerOf(const void* function) { return reinterpret_cast<uintptr_t>(function); }

// Whether what begins now is recorded.
template <const OwnedDomain& kDomain>
bool Enter(const void* function) {
  const std::string_view name(NameOf(function));
  const HookScope scope;
  if (!scope) return true;
  ThreadLog& log = scope.log();
  const uint16_t domain = IdOfDomain(log, kDomain);
  NameCacheEntry* entry = CopiedName(log, name.data(), name.size());
  const uint32_t id = entry == nullptr ? 0 : entry->id;
  const uint8_t marks = entry == nullptr ? uint8_t{0} : MarksOfOwned(*entry, name, kDomain);
  const OpenRange* range = EnterOwned(log, kDomain, domain, id, OwnerOf(function), marks);
  return range == nullptr || (range->flags & kBegunClosed) == 0;
}

void Leave(const void* function, void*) {
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);
  if (scope) LeaveOwned(scope.log(), kSource, OwnerOf(function), end);
}

// Whoever changes the gate has done so before it comes here, and whoever is the last one here looks
// at it once more: so both agree in the end, without a lock of ours.
void FollowGate() {
  const ErrnoKeeper keeper;
  bool shut;
  do {
    shut = IsShut();
    HearOperators(!shut);
  } while (IsShut() != shut);
}

void** BeginOperator(void** context, const void* function) {
  *context = nullptr;
  if (__builtin_expect(!Enter<kOperators>(function), 0) && IsShut()) FollowGate();
  return context;
}

// One that may end on another thread is in no thread's nesting.
void** BeginNamed(void** context, const void* function) {
  *context = nullptr;
  if (!IsAsync(function)) Enter<kNamed>(function);
  return context;
}

}  // namespace

const char* ListenToTorch(const Module& library, bool operators) {
  const Callback of_operators{BeginOperator, Leave};
  const char* why_not = Listen(library, operators ? &of_operators : nullptr, {BeginNamed, Leave});
  if (why_not == nullptr && operators) WhenOpened(FollowGate);
  return why_not;
}

}  // namespace syncline::torch
