// SPDX-License-Identifier: Apache-2.0
// Times so far from the base that a double cannot hold every nanosecond.
#include "writers/chrome/text/time_text.h"

#include <cmath>

namespace syncline {
namespace {

// The longest run of doubles that readers disagree on has 22 steps.
constexpr int kMostSteps = 64;
// Up to here (9.5 hours) a double holds a `dur` to a hundredth of a nanosecond.
constexpr uint64_t kDurationTextNs = (uint64_t{1} << 35) * 1000;

// Centuries, which only a damaged spool has: a double of them may be no uint64_t.
constexpr uint64_t kFarthestNs = uint64_t{1} << 63;

// Whether readers that cut and readers that round see `ns` where three decimals say it.
bool IsReadable(uint64_t ns) {
  if (ns >= kFarthestNs) return false;
  const double product = static_cast<double>(ns) / 1000.0 * 1000.0;
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): as such readers do
  return static_cast<uint64_t>(product) == ns && static_cast<uint64_t>(product + 0.5) == ns;
}

// For what lasts longer than kExactNs `dur` has to be readable too. The begin gives way to that: an
// end is more often shared with slices inside.
uint64_t BeginOfLong(uint64_t from, uint64_t to) {
  for (uint64_t length = to - from; length <= to && length < to - from + 256; ++length) {
    const uint64_t begin = to - length;
    if (IsReadable(length) && (begin < kExactNs || IsReadable(begin))) return begin;
  }
  return from;
}

}  // namespace

// The nearest readable time. Looks at one double after the other, because beyond 2^53 ns they are
// further apart than nanoseconds. 2^41 us itself is readable: times before stay before.
uint64_t TimeText::ShownLate(uint64_t at) {
  if (at >= kFarthestNs) return at;
  double below = static_cast<double>(at) / 1000.0;
  double above = below;
  for (int step = 0; step < kMostSteps; ++step) {
    const auto lower = static_cast<uint64_t>(below * 1000.0);
    if (lower >= kExactNs && IsReadable(lower)) return lower;
    const auto upper = static_cast<uint64_t>(above * 1000.0);
    if (upper >= kExactNs && IsReadable(upper)) return upper;
    below = std::nextafter(below, 0.0);
    above = std::nextafter(above, HUGE_VAL);
  }
  return at;
}

// Half a double's step is up to 0.49 ns here: so much shorter is `dur` where it can be.
char* TimeText::PutLateSpan(char* out, uint64_t from, uint64_t to) {
  to = ShownLate(to);
  if (from >= kExactNs) from = ShownLate(from);
  if (to - from >= kExactNs) from = BeginOfLong(from, to);
  const uint64_t length = to - from;
  out = PutKey(PutShown(out, from));
  if (length == 0 || length >= kExactNs) return PutMicros(out, length);
  if (length >= kDurationTextNs) return PutWithDigit(out, length - 1, '8');
  out = PutWithDigit(out, length - 1, '5');
  *out = '1';
  return out + 1;
}

}  // namespace syncline
