// SPDX-License-Identifier: Apache-2.0
// Tests of what is one place where threads wait.
#include "report/waited_places.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

// Two lines of a function at which one waits for the same. The first has all of the time, so the
// other one is too short for a price of its own.
TEST(WaitedPlaces, ALineWithoutAPriceBelongsToItsFunctionToo) {
  RunFindings findings;
  PriceKey line, function;
  line.source = function.source = "cuda";
  line.where = "a.py:4 f()";
  function.where = "a.py f()";
  function.change = Change::kWaitsOfFunction;
  findings.waits[{"cuda", WaitClass::kDevice, "call", "", line.where}].blocked.Add(1000);
  findings.waits[{"cuda", WaitClass::kDevice, "call", "", "a.py:8 f()"}].blocked.Add(10);
  findings.prices[line].gain.gain_ns = 200;
  findings.prices[function].gain.gain_ns = 900;
  const std::vector<WaitedPlace> together = WaitedPlaces(findings);
  ASSERT_EQ(together.size(), 1u);
  EXPECT_EQ(together[0].where, "a.py:4 f()");
  EXPECT_EQ(together[0].more, "with 1 line that would wait instead");
  EXPECT_EQ(together[0].waited.sums.blocked.count, 1u);
  EXPECT_EQ(together[0].key, function);
  const std::vector<FindingPart> parts = PartsOf(together[0]);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].what, "a.py:4 f()");
  EXPECT_EQ(parts[1].blocked_ns, 10u);
  findings.prices[line].gain.gain_ns = 600;
  EXPECT_EQ(WaitedPlaces(findings).size(), 2u) << "the first one alone brings most of it";
}

TEST(WaitedPlaces, PassesOfALoopAreOneRange) {
  Waited waited;
  EXPECT_EQ(MostRanges(waited), "");
  waited.ranges = {{"epoch 1 > log", 30}, {"epoch 2 > log", 30}, {"load", 50}};
  EXPECT_EQ(MostRanges(waited), "epoch # > log");
  waited.ranges = {{"epoch 1", 30}, {"load", 10}};
  EXPECT_EQ(MostRanges(waited), "epoch 1");
}

TEST(WaitedPlaces, AFewLinesAreToldOneByOne) {
  RunFindings findings;
  PriceKey function;
  function.source = "cuda";
  function.where = "a.py f()";
  function.change = Change::kWaitsOfFunction;
  findings.prices[function].gain.gain_ns = 900;
  std::string told[6];
  for (int line = 1; line <= 6; ++line) {
    const std::string where = "a.py:" + std::to_string(line * line) + " f()";
    findings.waits[{"cuda", WaitClass::kDevice, "call", "", where}].blocked.Add(1000);
    told[line - 1] = WaitedPlaces(findings)[0].where;
  }
  EXPECT_EQ(told[1], "a.py:1,4 f()");
  EXPECT_EQ(told[3], "a.py:1,4,9,16 f()");
  EXPECT_EQ(told[5], "a.py:1-36 f()");
}

}  // namespace
}  // namespace syncline
