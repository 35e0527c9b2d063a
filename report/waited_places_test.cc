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
  EXPECT_EQ(together[0].where, "a.py:4,8 f()");
  EXPECT_EQ(together[0].key, function);
  findings.prices[line].gain.gain_ns = 600;
  EXPECT_EQ(WaitedPlaces(findings).size(), 2u) << "the first one alone brings most of it";
}

}  // namespace
}  // namespace syncline
