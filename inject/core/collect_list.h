// SPDX-License-Identifier: Apache-2.0
// What a value of --collect says: names of collectors that commas separate.
#pragma once

#include <string_view>

#include "inject/core/collector.h"
#include "inject/core/text.h"

namespace syncline {

inline constexpr std::string_view kAllCollectors = "all";

inline bool IsCollectorWord(std::string_view word) {
  if (word == kAllCollectors) return true;
  for (size_t i = 0; i < kCollectorCount; ++i) {
    if (word == kCollectors[i]->name) return !kCollectors[i]->is_companion;
  }
  return false;
}

// Whether the list wants the collector of this name. Other words than names count for nothing, and
// a list without any name wants all collectors: the launcher has refused both before.
inline bool IsCollected(const char* list, std::string_view name) {
  bool names_some = false;
  for (std::string_view word = NextWord(&list); !word.empty(); word = NextWord(&list)) {
    if (word == name || word == kAllCollectors) return true;
    names_some = names_some || IsCollectorWord(word);
  }
  return !names_some;
}

}  // namespace syncline
