// SPDX-License-Identifier: Apache-2.0
// Pushes and pops on the thread's stack of open ranges.
#include "inject/core/owned_ranges.h"

#include "inject/core/range_gate.h"
#include "inject/core/range_names.h"

namespace syncline {
namespace {

// Of a stream whose table of domains is full: the last one that NVTX would give.
constexpr uint16_t kDomainBeyondTable = 0xfffe;

uint16_t DefineDomain(ThreadLog& log, const OwnedDomain& domain) {
  const bool fits = log.domain_count < kThreadDomains;
  const uint16_t id = fits ? static_cast<uint16_t>(log.domain_count + 1) : kDomainBeyondTable;
  if (!EmitText(log, RecordKind::kDomain, id, domain.key, 0, domain.source, domain.name.data(),
                domain.name.size())) {
    CountLoss(kLoss_definition);
    return kDomainBeyondTable;
  }
  if (fits) log.domains[log.domain_count++] = domain.name.data();
  return id;
}

bool IsOf(const OpenRange& range, Source source, uint64_t owner) {
  return range.source == source && range.owner == owner;
}

OpenRange* Push(ThreadLog& log, const OwnedDomain& domain, uint16_t id, uint32_t name,
                uint64_t owner) {
  OpenRange* range = PushRange(log, domain.source, name, id, name == 0);
  if (range != nullptr) range->owner = owner;
  return range;
}

__attribute__((noinline)) void PushMarked(ThreadLog& log, const OwnedDomain& domain, uint16_t id,
                                          uint32_t name, uint64_t owner, uint8_t its_marks) {
  const uint8_t marks = EnterMarked(log, its_marks, true);
  OpenRange* range = Push(log, domain, id, name, owner);
  if (range == nullptr) return LeaveMarked(log, marks);
  range->marks = marks;
  // After it: whoever leaves the range finds its marks.
  std::atomic_signal_fence(std::memory_order_release);
  range->flags |= kIsMarked;
}

// How many ranges are open below and with the innermost one of the owner's, 0: none.
uint32_t FindOpen(const ThreadLog& log, Source source, uint64_t owner) {
  uint32_t at = log.depth;
  while (at > 0 && !IsOf(log.stack[at - 1], source, owner)) --at;
  return at;
}

// What lies above ends with it.
__attribute__((noinline)) void PopDown(ThreadLog& log, Source source, uint64_t owner,
                                       uint64_t end) {
  const uint32_t found = FindOpen(log, source, owner);
  if (found == 0) return;
  for (uint32_t at = log.depth; at >= found && log.depth >= found; --at) {
    const OpenRange& range = log.stack[at - 1];
    if (range.source == source) PopRange(log, range.domain, end);
  }
}

}  // namespace

uint16_t IdOfDomain(ThreadLog& log, const OwnedDomain& domain) {
  for (uint64_t i = 0; i < log.domain_count; ++i) {
    if (log.domains[i] == domain.name.data()) return static_cast<uint16_t>(i + 1);
  }
  return DefineDomain(log, domain);
}

uint8_t MarksOfOwned(NameCacheEntry& entry, std::string_view name, const OwnedDomain& domain) {
  if (entry.marks == kMarksUnknown) {
    entry.marks = MarksOfName(name);
    if (entry.marks != 0) entry.bytes |= kMarkedName;
  }
  return entry.marks == 0 ? uint8_t{0} : MarksOfRange(name, domain.name);
}

void EnterOwned(ThreadLog& log, const OwnedDomain& domain, uint16_t domain_id, uint32_t name,
                uint64_t owner, uint8_t marks) {
  if (__builtin_expect(marks != 0, 0))
    return PushMarked(log, domain, domain_id, name, owner, marks);
  Push(log, domain, domain_id, name, owner);
}

void LeaveOwned(ThreadLog& log, Source source, uint64_t owner, uint64_t end) {
  if (__builtin_expect(log.over_depth != 0, 0)) {  // its enter found the stack full
    PopRange(log, 0, end);
    return;
  }
  if (__builtin_expect(log.depth == 0, 0)) return;
  const OpenRange& top = log.stack[log.depth - 1];
  if (__builtin_expect(!IsOf(top, source, owner), 0)) return PopDown(log, source, owner, end);
  PopRange(log, top.domain, end);
}

}  // namespace syncline
