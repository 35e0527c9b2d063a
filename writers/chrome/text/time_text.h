// SPDX-License-Identifier: Apache-2.0
// Time stamps of events as text, so that every reader nests and orders the slices as they were.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "writers/chrome/text/json.h"

namespace syncline {

enum class TimeUnit { kNs, kUs };  // parts of a us, or whole us, both ends rounded down

// From this distance to the base on (2^41 us, 25.4 days) a double of microseconds cannot hold every
// nanosecond.
inline constexpr uint64_t kExactNs = (uint64_t{1} << 41) * 1000;

inline constexpr size_t kMaxSpanChars = 2 * kMaxNumberChars + 16;

// Times are nanoseconds since 1970, none before the base. Readers hold `ts` and `dur` as doubles of
// microseconds. Perfetto multiplies each by 1000 and cuts (before v52) or rounds, and drops a slice
// that then crosses another; HTA and Catapult add the two doubles. So with TimeUnit::kNs
//   ts  is written 0.2 ns late: cut or rounded, a reader has the nanosecond itself;
//   dur is written 0.2 ns short, unless it is 0: rounded, a reader has the nanoseconds themselves,
//       cut, each slice is one shorter; and a sum of doubles is never later than the `ts` of what
//       begins at the slice's end, although it is off by a double's step.
// Beyond kExactNs both ends give way to the nearest nanosecond that readers agree on, which is at
// most 1 ns away; 3 ns from 25.4 to 26.1 days, 10 ns from 50.9 to 52.1, 21 ns from 101.8 to 104.2.
// Times keep their order there and slices nest; what was shorter may come out with length 0.
// docs/trace-format.md.
struct TimeText {
  TimeUnit unit = TimeUnit::kNs;
  uint64_t base_ns = 0;

  // The time that readers show for `ns`, in nanoseconds after the base. Never decreasing.
  uint64_t Shown(uint64_t ns) const {
    const uint64_t at = ns - base_ns;
    if (unit == TimeUnit::kUs) return at - at % 1000;
    return __builtin_expect(at < kExactNs, 1) ? at : ShownLate(at);
  }

  // Writes `ts`; needs room for kMaxNumberChars.
  char* PutTime(char* out, uint64_t ns) const {
    if (unit == TimeUnit::kUs) return PutUint(out, (ns - base_ns) / 1000);
    return PutShown(out, Shown(ns));
  }

  // Writes `ts`, `, "dur": ` and `dur`; needs room for kMaxSpanChars.
  char* PutSpan(char* out, uint64_t begin, uint64_t end) const {
    const uint64_t from = begin - base_ns;
    const uint64_t to = end - base_ns;
    if (__builtin_expect(unit == TimeUnit::kUs, 0))
      return PutUint(PutKey(PutUint(out, from / 1000)), to / 1000 - from / 1000);
    if (__builtin_expect(to >= kExactNs, 0)) return PutLateSpan(out, from, to);
    out = PutKey(PutWithDigit(out, from, '2'));
    return to == from ? PutMicros(out, 0) : PutWithDigit(out, to - from - 1, '8');
  }

  void AppendTime(std::string* out, uint64_t ns) const {
    char text[kMaxNumberChars];
    out->append(text, PutTime(text, ns));
  }
  void AppendSpan(std::string* out, uint64_t begin, uint64_t end) const {
    char text[kMaxSpanChars];
    out->append(text, PutSpan(text, begin, end));
  }

 private:
  static char* PutKey(char* out) {
    static constexpr char kKey[] = ", \"dur\": ";
    std::memcpy(out, kKey, sizeof(kKey) - 1);
    return out + sizeof(kKey) - 1;
  }
  static char* PutWithDigit(char* out, uint64_t ns, char digit) {
    out = PutMicros(out, ns);
    *out = digit;
    return out + 1;
  }
  static char* PutShown(char* out, uint64_t at) {
    return at < kExactNs ? PutWithDigit(out, at, '2') : PutMicros(out, at);
  }
  static uint64_t ShownLate(uint64_t at);
  static char* PutLateSpan(char* out, uint64_t from, uint64_t to);
};

}  // namespace syncline
