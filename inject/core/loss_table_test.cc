// SPDX-License-Identifier: Apache-2.0
// Holds the numbers of losses, which stand in spools.
#include "inject/core/loss_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inject/core/crc32c.h"
#include "inject/core/segment.h"

namespace syncline {
namespace {

const std::vector<std::string> kNames = {
#define SYNCLINE_LOSS(name, of, meaning, remedy) #name,
#include "all_losses.def"
#undef SYNCLINE_LOSS
};

// New kinds of the frame and of collectors with higher numbers come behind these.
TEST(LossTable, NumbersStayWhatTheyWere) {
  const std::vector<std::string> first = {
      "ring_full",     "no_ring",       "no_segment",     "too_deep",       "too_many_open",
      "nested_signal", "definition",    "unbalanced_pop", "bad_payload",    "disk_full",
      "consumer_gone", "damaged",       "bad_attributes", "unsupported",    "starting",
      "vfork_child",   "cupti_dropped", "cupti_flush",    "gpu_unfinished", "cupti_garbage"};
  ASSERT_GE(kNames.size(), first.size());
  EXPECT_EQ(std::vector<std::string>(kNames.begin(), kNames.begin() + 20), first);
  EXPECT_EQ(kLoss_ring_full, 0u);
  EXPECT_EQ(kLoss_cupti_garbage, 19u);
  EXPECT_EQ(kLoss_gpu_undelivered, kLossKinds - 2) << "what readers count comes last";
  EXPECT_EQ(kLoss_unknown_kinds, kLossKinds - 1);
}

TEST(LossTable, IsTheChecksumOfAllNames) {
  std::string all;
  for (const std::string& name : kNames) all += name + '\0';
  EXPECT_EQ(LossTable(), Crc32cByTable(0, all.data(), all.size()));
}

}  // namespace
}  // namespace syncline
