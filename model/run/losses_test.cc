// SPDX-License-Identifier: Apache-2.0
// Tests of reading the counts of losses.
#include "model/run/losses.h"

#include <gtest/gtest.h>

#include "inject/core/loss_table.h"

namespace syncline {
namespace {

SpoolCounters Counters(uint32_t loss_table) {
  SpoolCounters counters{};
  counters.loss_table = loss_table;
  counters.losses[kLoss_ring_full] = 5;
  counters.losses[kLoss_gpu_unfinished] = 7;
  return counters;
}

TEST(Losses, OfTheOwnTableHaveTheirNames) {
  for (const uint32_t table : {LossTable(), uint32_t{0}}) {
    const LossCounts losses = CountedLosses(Counters(table));
    EXPECT_EQ(losses[kLoss_ring_full], 5u);
    EXPECT_EQ(losses[kLoss_gpu_unfinished], 7u);
    EXPECT_EQ(losses[kLoss_unknown_kinds], 0u);
    EXPECT_EQ(LostOfDevices(losses), 7u);
  }
}

TEST(Losses, OfAnotherTableAreOneNumber) {
  SpoolCounters counters = Counters(LossTable() + 1);
  counters.losses[kMaxLossKinds - 1] = 100;  // a kind that may be none of ours
  const LossCounts losses = CountedLosses(counters);
  EXPECT_EQ(losses[kLoss_unknown_kinds], 112u);
  EXPECT_EQ(TotalLosses(losses), 112u) << "nothing stands under a wrong name";
  EXPECT_EQ(LostOfDevices(losses), 112u);
  EXPECT_TRUE(LostHostRecords(losses));
  EXPECT_TRUE(MayBeOfDevices(losses));
}

}  // namespace
}  // namespace syncline
