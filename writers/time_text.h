// SPDX-License-Identifier: Apache-2.0
// Time stamps of events as text: microseconds since the trace's base, with three decimals or whole.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "writers/json.h"

namespace syncline {

enum class TimeUnit { kNs, kUs };  // us with three decimals, or whole us, both ends rounded down

// Times are nanoseconds since 1970; those before the base are shown at the base.
struct TimeText {
  TimeUnit unit = TimeUnit::kNs;
  uint64_t base_ns = 0;

  char* PutTime(char* out, uint64_t ns) const {
    const uint64_t at = std::max(ns, base_ns) - base_ns;
    return unit == TimeUnit::kNs ? PutMicros(out, at) : PutUint(out, at / 1000);
  }
  char* PutDuration(char* out, uint64_t begin, uint64_t end) const {
    const uint64_t from = std::max(begin, base_ns) - base_ns;
    const uint64_t to = std::max(end, base_ns) - base_ns;
    return unit == TimeUnit::kNs ? PutMicros(out, to - from)
                                 : PutUint(out, to / 1000 - from / 1000);
  }
  void AppendTime(std::string* out, uint64_t ns) const {
    char text[kMaxNumberChars];
    out->append(text, PutTime(text, ns));
  }
  void AppendDuration(std::string* out, uint64_t begin, uint64_t end) const {
    char text[kMaxNumberChars];
    out->append(text, PutDuration(text, begin, end));
  }
};

}  // namespace syncline
