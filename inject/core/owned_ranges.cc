// SPDX-License-Identifier: Apache-2.0
// The slow halves: definitions, ranges that the options name, ranges that do not nest.
#include "inject/core/owned_ranges.h"

#include "inject/core/range_gate.h"
#include "inject/core/range_names.h"

namespace syncline {
namespace {

// Of a stream whose table of domains is full: the last one that NVTX would give.
constexpr uint16_t kDomainBeyondTable = 0xfffe;

bool IsOf(const OpenRange& range, Source source, uint64_t owner) {
  return range.source == source && range.owner == owner;
}

// How many ranges are open below and with the innermost one of the owner's, 0: none.
uint32_t FindOpen(const ThreadLog& log, Source source, uint64_t owner) {
  uint32_t at = log.depth;
  while (at > 0 && !IsOf(log.stack[at - 1], source, owner)) --at;
  return at;
}

}  // namespace

uint16_t DefineDomain(ThreadLog& log, const OwnedDomain& domain) {
  const bool fits = log.domain_count < kThreadDomains;
  const uint16_t id = fits ? static_cast<uint16_t>(log.domain_count + 1) : kDomainBeyondTable;
  if (!EmitText(log, RecordKind::kDomain, id, domain.key, domain.marks, domain.source,
                domain.name.data(), domain.name.size())) {
    CountLoss(kLoss_definition);
    return kDomainBeyondTable;
  }
  if (fits) log.domains[log.domain_count++] = domain.name.data();
  return id;
}

uint8_t LookUpMarks(NameCacheEntry& entry, std::string_view name, const OwnedDomain& domain) {
  if (entry.marks == kMarksUnknown) {
    entry.marks = MarksOfName(name);
    if (entry.marks != 0) entry.bytes |= kMarkedName;
  }
  // What a framework runs for the program is no stage of the program, and no step.
  if (entry.marks == 0 || domain.marks != 0) return 0;
  return MarksOfRange(name, domain.name);
}

OpenRange* EnterMarkedOwned(ThreadLog& log, const OwnedDomain& domain, uint16_t domain_id,
                            uint32_t name, uint64_t owner, uint8_t its_marks) {
  const uint8_t marks = EnterMarked(log, its_marks, true);
  OpenRange* range = PushRange(log, domain.source, name, domain_id, name == 0);
  if (range == nullptr) {
    LeaveMarked(log, marks);
    return nullptr;
  }
  range->owner = owner;
  range->marks = marks;
  // After it: whoever leaves the range finds its marks.
  std::atomic_signal_fence(std::memory_order_release);
  range->flags |= kIsMarked;
  return range;
}

void TakeOut(ThreadLog& log, uint32_t at) {
  const OpenRange range = log.stack[at - 1];
  for (uint32_t i = at; i < log.depth; ++i) log.stack[i - 1] = log.stack[i];
  log.control->depth.store(--log.depth, std::memory_order_release);
  if ((range.flags & kIsMarked) != 0) LeaveMarked(log, range.marks);
}

// What lies above ends with it.
void LeaveFromBelow(ThreadLog& log, Source source, uint64_t owner, uint64_t end) {
  if (log.over_depth != 0) {  // its enter found the stack full
    PopRange(log, 0, end);
    return;
  }
  const uint32_t found = FindOpen(log, source, owner);
  if (found == 0) return;
  for (uint32_t at = log.depth; at >= found && log.depth >= found; --at) {
    const OpenRange& range = log.stack[at - 1];
    if (range.source == source) PopRange(log, range.domain, end);
  }
}

}  // namespace syncline
