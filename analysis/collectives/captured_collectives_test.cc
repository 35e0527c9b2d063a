// SPDX-License-Identifier: Apache-2.0
// Which graphs communicate, by what was captured before each was made.
#include "analysis/collectives/captured_collectives.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr uint64_t kLarger = 7, kSmaller = 8;
using Met = std::vector<CapturedCollectives::Met>;

void Replay(CapturedCollectives* graphs, uint64_t key, uint32_t graph, uint64_t begin) {
  graphs->Launched(key, begin);
  Collective whole;
  whole.correlation = static_cast<uint32_t>(key);
  graphs->Ran(key, graph, whole);
}

TEST(CapturedCollectivesTest, GraphsAreLaunchedAsTheyWereMade) {
  CapturedCollectives graphs;
  graphs.Instantiated(3);
  Replay(&graphs, 1, 2, 5);  // before anything was captured
  graphs.Instantiated(10);
  graphs.Captured(kLarger, true, 15);
  graphs.Captured(kSmaller, true, 16);
  graphs.Captured(kSmaller, true, 17);
  graphs.Instantiated(20);
  graphs.Captured(kSmaller, false, 25);  // a broadcast
  graphs.Instantiated(30);
  Replay(&graphs, 5, 9, 40);
  Replay(&graphs, 4, 6, 41);
  Replay(&graphs, 3, 4, 42);
  Replay(&graphs, 2, 6, 43);
  const Met met = graphs.Find({{kLarger, 8}, {kSmaller, 2}});
  ASSERT_EQ(met.size(), 2u);
  EXPECT_EQ(met[0].key, 4u);
  EXPECT_EQ(met[0].begin, 41u);
  EXPECT_EQ(met[0].whole.kind, CollectiveKind::kInGraph);
  EXPECT_EQ(met[1].key, 2u);
  for (const auto& each : met) EXPECT_EQ(each.whole.communicator, kLarger) << "the largest";
}

TEST(CapturedCollectivesTest, WhereSomeAreNeverLaunchedAllHaveToBeAlike) {
  CapturedCollectives alike, mixed;
  for (CapturedCollectives* graphs : {&alike, &mixed}) {
    for (const uint64_t begin : {10, 20, 30}) {
      if (graphs == &alike || begin != 20) graphs->Captured(kLarger, true, begin);
      graphs->Instantiated(begin + 5);
    }
    Replay(graphs, 1, 3, 16);  // when the first was made
    Replay(graphs, 2, 4, 40);
  }
  EXPECT_EQ(alike.Find({}).size(), 2u);
  const Met met = mixed.Find({});
  ASSERT_EQ(met.size(), 1u);
  EXPECT_EQ(met[0].key, 1u);
}

TEST(CapturedCollectivesTest, ALaunchWithoutACallSaysNothing) {
  CapturedCollectives graphs;
  EXPECT_TRUE(graphs.Find({}).empty());
  graphs.Captured(kLarger, true, 10);
  graphs.Instantiated(11);
  graphs.Ran(1, 2, {});
  graphs.Launched(2, 20);
  EXPECT_TRUE(graphs.Find({}).empty());
}

}  // namespace
}  // namespace syncline
