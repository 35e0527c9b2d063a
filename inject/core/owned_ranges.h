// SPDX-License-Identifier: Apache-2.0
// Push/pop ranges of a collector's own domain, each of an owner by which it is found again: who
// enters and leaves may do so in any order (greenlets, asynchronous work).
#pragma once

#include <cstdint>
#include <string_view>

#include "inject/core/emit.h"

namespace syncline {

// `name` lives as long as the process and is one object. `key`: no other domain of the process has
// it; NVTX's count from 1.
struct OwnedDomain {
  Source source;
  std::string_view name;
  uint64_t key;
};

// All below: inside a HookScope.

// The domain's number in this stream, defined on first sight.
uint16_t IdOfDomain(ThreadLog& log, const OwnedDomain& domain);

// What the options say of a range of this name (range_names.h); kept in the name's entry.
uint8_t MarksOfOwned(NameCacheEntry& entry, std::string_view name, const OwnedDomain& domain);

// Opens a range of the owner. `name`: its id, 0: it could not be recorded.
void EnterOwned(ThreadLog& log, const OwnedDomain& domain, uint16_t domain_id, uint32_t name,
                uint64_t owner, uint8_t marks);

// Closes the innermost range of the owner's, and what the collector opened above it. None is open:
// nothing happens.
void LeaveOwned(ThreadLog& log, Source source, uint64_t owner, uint64_t end);

}  // namespace syncline
