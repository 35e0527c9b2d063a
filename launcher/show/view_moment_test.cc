// SPDX-License-Identifier: Apache-2.0
// Moments of a trace as users write them, and as the Perfetto UI takes them.
#include "launcher/show/view_moment.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(ViewMomentTest, MomentsAreSecondsUnlessTheySayOtherwise) {
  uint64_t ns = 0;
  for (const char* text :
       {"12.345678901", "12.345678901s", "12345.678901ms", "12345678.901us", "12345678901ns"}) {
    ns = 0;
    EXPECT_TRUE(ParseMoment(text, &ns)) << text;
    EXPECT_EQ(ns, 12'345'678'901u) << text;
  }
  EXPECT_TRUE(ParseMoment("0", &ns));
  EXPECT_EQ(ns, 0u);
  EXPECT_TRUE(ParseMoment("3.s", &ns));
  EXPECT_EQ(ns, 3'000'000'000u);
  for (const char* text : {"", "s", ".5", "-1", "1.2.3", "1m", "1 s", "1e3", "9999999999",
                           "1.0000000001", "0x10", "9999999999999999999ns"})
    EXPECT_FALSE(ParseMoment(text, &ns)) << text;
}

TEST(ViewMomentTest, TheManifestStandsInRun) {
  EXPECT_EQ(ManifestOfTrace("a/b/rank-3.trace.json.gz"), "a/b/run/rank-3.json");
  EXPECT_EQ(ManifestOfTrace("launcher.trace.json.gz"), "run/launcher.json");
  EXPECT_EQ(ManifestOfTrace("a.b/rank-3"), "a.b/run/rank-3.json");
}

TEST(ViewMomentTest, WhatIsVisibleLiesWithinTheTrace) {
  RankManifest manifest;
  EXPECT_EQ(VisibleAt(manifest, 5), "") << "nothing is known of it";
  manifest.base_time.ns = 1'000;
  manifest.begin_ns = 3'000'001'000;
  manifest.end_ns = 4'000'001'000;
  EXPECT_EQ(VisibleAt(manifest, 500'000'000), "&visStart=3490000000&visEnd=3540000000");
  EXPECT_EQ(VisibleAt(manifest, 0), "&visStart=3000000000&visEnd=3050000000");
  EXPECT_EQ(VisibleAt(manifest, UINT64_MAX), "&visStart=3950000000&visEnd=4000000000");
  manifest.end_ns = manifest.begin_ns + 7;
  EXPECT_EQ(VisibleAt(manifest, 3), "&visStart=3000000000&visEnd=3000000007");
}

}  // namespace
}  // namespace syncline
