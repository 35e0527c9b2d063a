// SPDX-License-Identifier: Apache-2.0
// A new name takes a free place, else those of others in turn.
#include "inject/core/copied_names.h"

namespace syncline {

NameCacheEntry* DefineCopiedName(ThreadLog& log, const void* key, const char* text, size_t bytes) {
  uint32_t way = 0;
  while (way < kCopiedNameWays && CopiedNameWay(log, key, way).key != nullptr) ++way;
  if (way == kCopiedNameWays) way = log.next_name % kCopiedNameWays;
  NameCacheEntry& entry = CopiedNameWay(log, key, way);
  return DefineName(log, entry, key, text, bytes, true) == 0 ? nullptr : &entry;
}

}  // namespace syncline
