// SPDX-License-Identifier: Apache-2.0
// Ranges nest on their thread, unless tasks of asyncio or generators share it: one that ends while
// another's is open above it is told as a start/end range, whose row it has held since its begin.
#include "collectors/torch/named_ranges.h"

#include "collectors/torch/async_ranges.h"
#include "collectors/torch/inputs.h"
#include "collectors/torch/record_function.h"
#include "inject/core/copied_names.h"
#include "inject/core/emit.h"
#include "inject/core/start_end.h"
#include "inject/core/sys.h"

namespace syncline::torch {
namespace {

constexpr Source kOwnSource = SYNCLINE_SOURCE_torch;
constexpr OwnedDomain kNamed = {kOwnSource, kNamedDomain, (uint64_t{kOwnSource} << 32) + 1};

uint64_t AddressOf(const void* function) { return reinterpret_cast<uintptr_t>(function); }

// The row is held in what else are attributes: such ranges have none.
uint64_t& RowOf(OpenRange& range) { return range.attributes.payload; }

void Enter(ThreadLog& log, const void* function, std::string_view name) {
  uint16_t lane = 0;
  const uint64_t row = ClaimRange(&lane);  // 0: all are in use
  OpenRange* const range = EnterNamed(log, kNamed, name, AddressOf(function));
  if (range != nullptr) {
    RowOf(*range) = row;
  } else if (row != 0) {
    uint8_t marks;
    ReleaseRange(row, &marks);
  }
}

// How many ranges are open below and with that of the function, 0: none. Only those of this domain
// hold rows: an operator, too, may have had the function's address.
uint32_t PlaceOf(ThreadLog& log, uint64_t owner) {
  const uint16_t domain = IdOfDomain(log, kNamed);
  uint32_t at = log.over_depth != 0 ? 0 : log.depth;
  while (at > 0 && (log.stack[at - 1].domain != domain || log.stack[at - 1].owner != owner)) --at;
  return at;
}

// Whether another task's range is open above: what is left there by an exception or a jump is an
// operator.
bool IsBelowAnother(const ThreadLog& log, uint32_t at) {
  const OpenRange& range = log.stack[at - 1];
  for (uint32_t above = at; above < log.depth; ++above) {
    if (log.stack[above].source == kOwnSource && log.stack[above].domain == range.domain)
      return (range.flags & (kBegunClosed | kNameLost)) == 0;
  }
  return false;
}

void Leave(ThreadLog& log, uint64_t owner, uint64_t end) {
  const uint32_t at = PlaceOf(log, owner);
  if (at == 0) return LeaveOwned(log, kOwnSource, owner, end);
  const uint64_t row = RowOf(log.stack[at - 1]);
  const bool is_below = IsBelowAnother(log, at);
  uint8_t marks;
  // In a fork's child, rows of before are nobody's.
  const bool has_row = row != 0 && ReleaseRange(row, &marks) == EndResult::kRecorded;
  if (!is_below || !has_row) return LeaveOwned(log, kOwnSource, owner, end);
  TellStartAndEnd(log, log.stack[at - 1], end, row);
  TakeOut(log, at);
}

}  // namespace

OpenRange* EnterNamed(ThreadLog& log, const OwnedDomain& domain, std::string_view name,
                      uint64_t owner) {
  const uint16_t number = IdOfDomain(log, domain);
  NameCacheEntry* entry = CopiedName(log, name.data(), name.size());
  const uint32_t id = entry == nullptr ? 0 : entry->id;
  const uint8_t marks = entry == nullptr ? uint8_t{0} : MarksOfOwned(*entry, name, domain);
  return EnterOwned(log, domain, number, id, owner, marks);
}

// One that may end on another thread is in no thread's nesting.
void** BeginNamed(void** context, const void* function) {
  *context = nullptr;
  const std::string_view name(NameOf(function));
  if (IsAsync(function)) return BeginAsync(function, name, kNamed), context;
  const HookScope scope;
  if (scope) Enter(scope.log(), function, name);
  return context;
}

void LeaveNamed(const void* function, void*) {
  if (IsAsync(function)) return EndAsync(function, kNamed);
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);
  if (scope) Leave(scope.log(), AddressOf(function), end);
}

void BeOfTheRun() {
  const ErrnoKeeper keeper;
  const HookScope scope;
  if (scope) IdOfDomain(scope.log(), kNamed);
}

NamedRange::NamedRange(std::string_view name) {
  const ErrnoKeeper keeper;
  const HookScope scope;
  if (scope) Enter(scope.log(), this, name);
}

NamedRange::~NamedRange() {
  const ErrnoKeeper keeper;
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);
  if (scope) Leave(scope.log(), AddressOf(this), end);
}

}  // namespace syncline::torch
