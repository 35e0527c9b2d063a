// SPDX-License-Identifier: Apache-2.0
// Tests of the ways into a place.
#include "analysis/sums/main_ways.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

void AddGap(uint64_t ns, LinesBetween lines, Findings* found) {
  Gap gap;
  gap.end_ns = ns;
  found->gaps.push_back(gap);
  found->gap_lines.push_back(std::move(lines));
}

TEST(MainWays, ALoopThatIsEnteredIsThePlaceThatGoesRound) {
  Findings found;
  AddGap(10, {"a.py:1", "a.py:3", "b.py:8"}, &found);
  AddGap(10, {"a.py:5", "a.py:3", "b.py:8"}, &found);
  AddGap(10, {"a.py:5", "a.py:3", "b.py:8"}, &found);
  const MainWays ways(found);
  EXPECT_EQ(ways.Of(0), ways.Of(1));
  EXPECT_EQ(ways.Of(0).before, "a.py:5");
}

TEST(MainWays, ALoopThatIsEnteredBehindOtherLinesIsThatPlaceToo) {
  Findings found;
  AddGap(30, {"a.py:4 f()", "a.py:4 f()", "b.py:8 g()"}, &found);
  AddGap(10, {"a.py:1 f()", "a.py:2-3,4 f()", "b.py:8 g()"}, &found);
  AddGap(10, {"a.py:1 f()", "a.py:2-4 f()", "b.py:8 g()"}, &found);
  AddGap(10, {"a.py:1 f()", "a.py:4-5 f()", "b.py:8 g()"}, &found);
  const MainWays ways(found);
  EXPECT_EQ(ways.Of(1), found.gap_lines[0]);
  EXPECT_EQ(ways.Of(2), found.gap_lines[0]);
  EXPECT_EQ(ways.Of(3), found.gap_lines[3]);
}

TEST(MainWays, AFunctionThatIsEnteredIsThePlaceWithinIt) {
  Findings found;
  AddGap(10, {"a.py:9 main()", "a.py:9 main()", "a.py:3 load()"}, &found);
  AddGap(20, {"a.py:5 load()", "a.py:3 load()", ""}, &found);
  AddGap(15, {"b.py:1 f()", "b.py:2 f()", "a.py:4 load()"}, &found);
  const MainWays ways(found);
  EXPECT_EQ(ways.Of(0), found.gap_lines[1]);
  EXPECT_EQ(ways.Of(2), found.gap_lines[2]);
}

TEST(MainWays, OtherPlacesStayApart) {
  Findings found;
  AddGap(10, {"a.py:1", "a.py:3", "b.py:8"}, &found);
  AddGap(20, {"a.py:5", "a.py:3", "b.py:9"}, &found);
  AddGap(20, {"a.py:5", "a.py:4", "b.py:8"}, &found);
  AddGap(20, {"a.py:5", "a.py:3", "b.py:8", HostSpan::kData}, &found);
  AddGap(20, {"a.py:5", "", "b.py:8"}, &found);
  const MainWays ways(found);
  for (size_t i = 0; i < found.gaps.size(); ++i) EXPECT_EQ(ways.Of(i), found.gap_lines[i]) << i;
}

TEST(MainWays, APackagesLinesWithinALineAreTheirOwn) {
  Findings found;
  AddGap(10, {"lib.py:1", "a.py:3", "lib.py:2", HostSpan::kWithin}, &found);
  AddGap(20, {"lib.py:4", "a.py:3", "lib.py:2", HostSpan::kWithin}, &found);
  EXPECT_EQ(MainWays(found).Of(0).before, "lib.py:1");
}

TEST(MainWays, AGapWithoutLinesHasNone) {
  Findings found;
  found.gaps.resize(1);
  EXPECT_EQ(MainWays(found).Of(0), LinesBetween());
}

}  // namespace
}  // namespace syncline
