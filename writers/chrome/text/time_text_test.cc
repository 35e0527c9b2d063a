// SPDX-License-Identifier: Apache-2.0
// Every reader nests and orders slices as they were, at every distance from the base.
#include "writers/chrome/text/time_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

namespace syncline {
namespace {

constexpr TimeText kText{TimeUnit::kNs, 0};

uint64_t NsOf(double log2_us) { return static_cast<uint64_t>(std::exp2(log2_us) * 1000); }

// How readers make nanoseconds of microseconds: Perfetto before v52, others, Perfetto since.
using Reader = int64_t (*)(double);
constexpr Reader kReaders[] = {
    [](double us) { return static_cast<int64_t>(us * 1000); },
    [](double us) { return static_cast<int64_t>(us * 1000 + 0.5); },
    [](double us) { return static_cast<int64_t>(std::llround(us * 1000)); },
};

// A slice as a reader has it that parsed its text.
struct Slice {
  double ts;
  double dur;
  std::string text;

  Slice(uint64_t begin, uint64_t end) {
    kText.AppendSpan(&text, begin, end);
    char* rest = nullptr;
    ts = std::strtod(text.c_str(), &rest);
    EXPECT_EQ(std::string_view(rest, 9), ", \"dur\": ") << text;
    dur = std::strtod(rest + 9, &rest);
    EXPECT_EQ(*rest, '\0') << text;
  }
  int64_t Begin(Reader reader) const { return reader(ts); }
  int64_t End(Reader reader) const { return reader(ts) + reader(dur); }
};

// Distances from the base at which readers behave differently.
const double kDistances[] = {0,     10,    30,    36,    40,    40.99, 41,   41.01, 41.03,
                             41.04, 41.5,  42,    42.01, 42.03, 42.04, 42.5, 42.9,  43,
                             43.01, 43.03, 43.04, 43.5,  44,    45,    48};

TEST(TimeText, WhatIsWritten) {
  EXPECT_EQ(Slice(81204, 994085).text, "81.2042, \"dur\": 912.8808");
  EXPECT_EQ(Slice(1000, 1000).text, "1.0002, \"dur\": 0.000");
  EXPECT_EQ(Slice(1000, 1001).text, "1.0002, \"dur\": 0.0008");
  std::string text;
  kText.AppendTime(&text, 81204);
  EXPECT_EQ(text, "81.2042");
  const TimeText whole{TimeUnit::kUs, 1000};
  text.clear();
  whole.AppendSpan(&text, 2999, 5001);
  EXPECT_EQ(text, "1, \"dur\": 3");
}

TEST(TimeText, UpTo25DaysReadersThatRoundHaveTheExactNanoseconds) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300000; ++i) {
    const uint64_t begin = random() % kExactNs;
    const uint64_t length = (random() >> (random() % 64)) % (kExactNs - begin);
    const Slice slice(begin, begin + length);
    ASSERT_EQ(slice.Begin(kReaders[0]), static_cast<int64_t>(begin)) << slice.text;
    for (const Reader rounds : {kReaders[1], kReaders[2]}) {
      ASSERT_EQ(slice.Begin(rounds), static_cast<int64_t>(begin)) << slice.text;
      ASSERT_EQ(slice.End(rounds), static_cast<int64_t>(begin + length)) << slice.text;
    }
    ASSERT_GE(slice.End(kReaders[0]), static_cast<int64_t>(begin + length) - 1) << slice.text;
  }
}

TEST(TimeText, TimesNeverGoBackAndGiveWayByAFewNanoseconds) {
  for (const double distance : kDistances) {
    const uint64_t from = NsOf(distance);
    uint64_t last = 0, most = 0;
    for (uint64_t ns = from - std::min<uint64_t>(from, 3000); ns < from + 100000; ++ns) {
      const uint64_t shown = kText.Shown(ns);
      ASSERT_GE(shown, last) << ns;
      last = shown;
      most = std::max(most, shown > ns ? shown - ns : ns - shown);
    }
    EXPECT_LE(most, distance < 41      ? 0u
                    : distance < 41.5  ? 3u
                    : distance < 43.05 ? 21u
                                       : 50u)
        << "2^" << distance;
  }
}

// One slice in another, both ending with it, and one that begins there.
TEST(TimeText, SlicesThatNestOrTouchDoSoForEveryReader) {
  std::mt19937_64 random(2);
  for (const double distance : kDistances) {
    const uint64_t from = NsOf(distance);
    for (int i = 0; i < 20000; ++i) {
      const uint64_t begin = from + random() % 100000;
      const uint64_t middle = begin + random() % (i % 2 == 0 ? 300 : 3);
      const uint64_t end = middle + random() % (i % 3 == 0 ? 300 : 2);
      const Slice outer(begin, end), inner(middle, end), next(end, end + random() % 300);
      for (const Reader reader : kReaders) {
        ASSERT_LE(outer.Begin(reader), inner.Begin(reader)) << outer.text << " and " << inner.text;
        const bool outside = inner.Begin(reader) >= outer.End(reader);
        ASSERT_TRUE(outside || inner.End(reader) <= outer.End(reader))
            << outer.text << " and " << inner.text;
        ASSERT_LE(outer.End(reader), next.Begin(reader)) << outer.text << " and " << next.text;
        ASSERT_LE(inner.End(reader), next.Begin(reader)) << inner.text << " and " << next.text;
      }
      // HTA adds the doubles. Beyond 2^43 us their steps are longer than a nanosecond.
      if (distance > 43.03) continue;
      ASSERT_LE(outer.ts + outer.dur, next.ts) << outer.text << " and " << next.text;
      ASSERT_LE(inner.ts + inner.dur, next.ts) << inner.text << " and " << next.text;
    }
  }
}

// Processes and ranges that last for weeks end with what is inside.
TEST(TimeText, WhatLastsLongerThan25DaysHoldsWhatEndsWithIt) {
  std::mt19937_64 random(3);
  for (const double length : {41.0, 41.2, 42.0, 42.02, 42.5, 43.0, 43.02, 43.5}) {
    for (int i = 0; i < 5000; ++i) {
      const uint64_t begin = NsOf(32) + random() % 100000;
      const uint64_t end = begin + NsOf(length) + random() % 100000;
      const Slice outer(begin, end), second(begin + random() % 1000, end);
      const Slice inner(end - random() % 1000, end), next(end, end + 100);
      for (const Reader reader : kReaders) {
        ASSERT_LE(outer.Begin(reader), second.Begin(reader)) << outer.text << ", " << second.text;
        ASSERT_LE(second.End(reader), outer.End(reader)) << second.text << " in " << outer.text;
        ASSERT_LE(inner.End(reader), second.End(reader)) << inner.text << " in " << second.text;
        ASSERT_LE(outer.End(reader), next.Begin(reader)) << outer.text << " and " << next.text;
      }
    }
  }
}

TEST(TimeText, AnyTimesAreNumbers) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 100000; ++i) {
    uint64_t begin = random() >> (random() % 64), end = random() >> (random() % 64);
    if (begin > end) std::swap(begin, end);
    const Slice slice(begin, end);
    ASSERT_LT(slice.text.size(), kMaxSpanChars);
    ASSERT_GE(slice.dur, 0);
  }
  ASSERT_GE(Slice(0, UINT64_MAX).dur, 0);  // no double of it is a number of nanoseconds
  ASSERT_GE(Slice(UINT64_MAX - 1, UINT64_MAX).dur, 0);
}

}  // namespace
}  // namespace syncline
