// SPDX-License-Identifier: Apache-2.0
// Push/pop ranges of a collector's own domain, each of an owner by which it is found again: who
// enters and leaves may do so in any order (greenlets, asynchronous work).
#pragma once

#include <cstdint>
#include <string_view>

#include "inject/core/emit.h"

namespace syncline {

// `name` lives as long as the process and is one object. `key`: no other domain of the process has
// it; NVTX's count from 1. `marks`: DomainMark.
struct OwnedDomain {
  Source source;
  std::string_view name;
  uint64_t key;
  uint16_t marks = 0;
};

// All below: inside a HookScope.

// The domain's number in this stream, defined here.
uint16_t DefineDomain(ThreadLog& log, const OwnedDomain& domain);

// The domain's number in this stream, defined on first sight.
inline uint16_t IdOfDomain(ThreadLog& log, const OwnedDomain& domain) {
  for (uint64_t i = 0; i < log.domain_count; ++i) {
    if (log.domains[i] == domain.name.data()) return static_cast<uint16_t>(i + 1);
  }
  return DefineDomain(log, domain);
}

// What the options say of a range of this name (range_names.h); kept in the name's entry.
uint8_t LookUpMarks(NameCacheEntry& entry, std::string_view name, const OwnedDomain& domain);

inline uint8_t MarksOfOwned(NameCacheEntry& entry, std::string_view name,
                            const OwnedDomain& domain) {
  return __builtin_expect(entry.marks == 0, 1) ? uint8_t{0} : LookUpMarks(entry, name, domain);
}

// One that the options name.
OpenRange* EnterMarkedOwned(ThreadLog& log, const OwnedDomain& domain, uint16_t domain_id,
                            uint32_t name, uint64_t owner, uint8_t marks);

// Opens a range of the owner. `name`: its id, 0: it could not be recorded. Null: too deep
// (counted).
inline OpenRange* EnterOwned(ThreadLog& log, const OwnedDomain& domain, uint16_t domain_id,
                             uint32_t name, uint64_t owner, uint8_t marks) {
  if (__builtin_expect(marks != 0, 0))
    return EnterMarkedOwned(log, domain, domain_id, name, owner, marks);
  OpenRange* range = PushRange(log, domain.source, name, domain_id, name == 0);
  if (__builtin_expect(range != nullptr, 1)) range->owner = owner;
  return range;
}

// Where the owner's is not the thread's innermost range.
void LeaveFromBelow(ThreadLog& log, Source source, uint64_t owner, uint64_t end);

// Takes the `at`-th range (from 1) out of the open ones, without a record. Those above stay open.
void TakeOut(ThreadLog& log, uint32_t at);

// Closes the innermost range of the owner's, and what the collector opened above it. None is open:
// nothing happens.
inline void LeaveOwned(ThreadLog& log, Source source, uint64_t owner, uint64_t end) {
  if (__builtin_expect(log.over_depth != 0 || log.depth == 0, 0))
    return LeaveFromBelow(log, source, owner, end);
  const OpenRange& top = log.stack[log.depth - 1];
  if (__builtin_expect(top.source != source || top.owner != owner, 0))
    return LeaveFromBelow(log, source, owner, end);
  PopRange(log, top.domain, end);
}

}  // namespace syncline
