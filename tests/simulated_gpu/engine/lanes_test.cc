// SPDX-License-Identifier: Apache-2.0
// Copy engines and kernel slots.
#include "tests/simulated_gpu/engine/lanes.h"

#include <gtest/gtest.h>

namespace simgpu {
namespace {

TEST(CopyEngine, DoesOneThingAtATime) {
  CopyEngine engine;
  EXPECT_EQ(engine.Place(100, 50, 0), 100u);
  EXPECT_EQ(engine.Place(100, 50, 0), 150u);
  EXPECT_EQ(engine.Place(120, 10, 0), 200u);
}

TEST(CopyEngine, AnOperationThatIsReadyEarlierFillsTheGap) {
  CopyEngine engine;
  EXPECT_EQ(engine.Place(1000, 100, 0), 1000u);
  EXPECT_EQ(engine.Place(10, 100, 0), 10u);
  EXPECT_EQ(engine.Place(10, 890, 0), 110u);  // just fits
  EXPECT_EQ(engine.Place(10, 1, 0), 1100u);   // nothing left in between
}

TEST(CopyEngine, AGapThatIsTooShortIsNotUsed) {
  CopyEngine engine;
  engine.Place(100, 10, 0);
  engine.Place(115, 10, 0);
  EXPECT_EQ(engine.Place(105, 6, 0), 125u);
  EXPECT_EQ(engine.Place(105, 5, 0), 110u);
}

TEST(CopyEngine, ForgetsWhatIsOver) {
  CopyEngine engine;
  engine.Place(100, 10, 0);
  EXPECT_EQ(engine.Place(100, 10, 200), 100u);
}

TEST(KernelSlots, RunsSoManyAtOnce) {
  KernelSlots slots(2);
  EXPECT_EQ(slots.Place(10, 100), 10u);
  EXPECT_EQ(slots.Place(10, 50), 10u);
  EXPECT_EQ(slots.Place(10, 10), 60u);
}

TEST(KernelSlots, TakesTheSlotThatWasFreeLast) {
  KernelSlots slots(2);
  slots.Place(10, 10);                    // free at 20
  slots.Place(10, 80);                    // free at 90
  EXPECT_EQ(slots.Place(100, 10), 100u);  // takes the second
  EXPECT_EQ(slots.Place(30, 10), 30u);    // the first is still there
}

}  // namespace
}  // namespace simgpu
