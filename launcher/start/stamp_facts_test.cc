// SPDX-License-Identifier: Apache-2.0
// Steps and costs of time stamps are those of the clock that was asked for.
#include "launcher/start/stamp_facts.h"

#include <gtest/gtest.h>

#include "inject/core/clock.h"

namespace syncline {
namespace {

TEST(StampFacts, OfBothClocks) {
  for (const ClockId clock : {ClockId::kMonotonic, NodeClock()}) {
    const StampFacts facts = MeasureStamps(clock);
    EXPECT_GT(facts.step_ns, 0);
    EXPECT_GT(facts.cost_ns, 0);
    EXPECT_LT(facts.cost_ns, 1e6);
  }
  EXPECT_EQ(g_clock, ClockId::kMonotonic) << "nothing else may see another clock";
}

}  // namespace
}  // namespace syncline
