// SPDX-License-Identifier: Apache-2.0
// The states of one event over time.
#include "tests/simulated_gpu/level_zero/event_line.h"

#include <gtest/gtest.h>

namespace simgpu::level_zero {
namespace {

Signal At(uint64_t ns, uint64_t by) { return {ns, by, true, ns - 10, ns}; }

TEST(EventLine, HasNoSignalAtFirst) {
  const EventLine line;
  EXPECT_FALSE(line.SignaledFrom(0));
  EXPECT_FALSE(line.SignaledAt(1000));
  EXPECT_FALSE(line.TimesAt(1000));
}

TEST(EventLine, TellsOfASignalInTheFuture) {
  EventLine line;
  line.SignalAt(At(100, 7));
  EXPECT_FALSE(line.SignaledAt(99));
  EXPECT_TRUE(line.SignaledAt(100));
  ASSERT_TRUE(line.SignaledFrom(50));
  EXPECT_EQ(line.SignaledFrom(50)->ns, 100u);
  EXPECT_EQ(line.SignaledFrom(500)->by, 7u);
}

TEST(EventLine, AnOldSignalLetsPassUntilTheReset) {
  EventLine line;
  line.SignalAt(At(100, 1));
  line.SignalAt(At(300, 2));
  line.ResetAt(200);  // made known last, and earlier in time
  EXPECT_EQ(line.SignaledFrom(150)->by, 1u);
  EXPECT_EQ(line.SignaledFrom(250)->by, 2u);
  EXPECT_FALSE(line.SignaledAt(250));
}

TEST(EventLine, AResetBehindTheLastSignalLeavesNone) {
  EventLine line;
  line.SignalAt(At(100, 1));
  line.ResetAt(100);  // at the same time, made known later
  EXPECT_FALSE(line.SignaledFrom(100));
}

TEST(EventLine, AResetKeepsTheTimes) {
  EventLine line;
  line.SignalAt(At(100, 1));
  line.ResetAt(200);
  line.SignalAt({300, 0, false, 0, 0});  // by the host: no times
  EXPECT_EQ(line.TimesAt(250)->end_ns, 100u);
  EXPECT_EQ(line.TimesAt(400)->end_ns, 100u);
  EXPECT_TRUE(line.SignaledAt(300));
}

TEST(EventLine, ForgettingChangesNothingThatIsAsked) {
  EventLine line;
  line.SignalAt(At(100, 1));
  line.ResetAt(200);
  line.SignalAt({300, 0, false, 0, 0});
  line.SignalAt(At(500, 2));
  line.Forget(400);
  EXPECT_TRUE(line.SignaledAt(400));
  EXPECT_EQ(line.TimesAt(400)->by, 1u);
  EXPECT_EQ(line.TimesAt(500)->by, 2u);
  line.ResetAt(450);
  EXPECT_EQ(line.SignaledFrom(460)->by, 2u);
}

}  // namespace
}  // namespace simgpu::level_zero
