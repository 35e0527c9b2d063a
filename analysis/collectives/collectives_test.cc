// SPDX-License-Identifier: Apache-2.0
// Who came last, and when nothing can be said.
#include "analysis/collectives/collectives.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr uint64_t kWorld = 77;
constexpr Source kSource = 2;

RankCollectives Rank(int rank, uint32_t size = 2) {
  RankCollectives of;
  of.rank = rank;
  of.error_ns = 50;
  of.sizes[kWorld] = size;
  return of;
}

void Add(RankCollectives* of, uint64_t begin_ns, uint64_t end_ns,
         CollectiveKind kind = CollectiveKind::kAllReduce) {
  const auto number = static_cast<uint32_t>(of->done.size());
  of->done.push_back({kWorld, begin_ns, end_ns, number, number, kSource, 0, 0, kind});
}

TEST(CollectivesTest, TheLastRankAndWhatTheOthersWaited) {
  RankCollectives ranks[] = {Rank(4, 3), Rank(5, 3), Rank(9, 3)};
  Add(&ranks[0], 1000, 9000);
  Add(&ranks[1], 5000, 9000);
  Add(&ranks[2], 2000, 9000);
  const auto found = FindArrivals(ranks, false).arrivals;
  ASSERT_TRUE(found[0][0] && found[1][0] && found[2][0]);
  for (const auto& rank : found) EXPECT_EQ(rank[0]->last_rank, 5);
  EXPECT_EQ(found[0][0]->waited_ns, 4000u);
  EXPECT_EQ(found[1][0]->waited_ns, 0u);
  EXPECT_EQ(found[2][0]->waited_ns, 3000u);
}

TEST(CollectivesTest, WhatTheClocksCannotTell) {
  RankCollectives ranks[] = {Rank(0, 3), Rank(1, 3), Rank(2, 3)};
  Add(&ranks[0], 20000, 22000);  // together
  Add(&ranks[1], 20040, 22000);
  Add(&ranks[2], 20099, 22000);
  Add(&ranks[0], 31000, 39000);  // two late ones
  Add(&ranks[1], 35000, 39000);
  Add(&ranks[2], 35001, 39000);
  const auto found = FindArrivals(ranks, false).arrivals;
  ASSERT_TRUE(found[0][0] && found[0][1] && found[1][1]);
  EXPECT_EQ(found[0][0]->last_rank, -1);
  EXPECT_EQ(found[0][0]->waited_ns, 0u);
  EXPECT_EQ(found[0][1]->last_rank, -1);
  EXPECT_EQ(found[0][1]->waited_ns, 4001u);
  EXPECT_EQ(found[1][1]->waited_ns, 0u);
}

TEST(CollectivesTest, ARootMayBeOverBeforeTheOthersBegin) {
  RankCollectives ranks[] = {Rank(0), Rank(1)};
  Add(&ranks[0], 1000, 2000, CollectiveKind::kBroadcast);
  Add(&ranks[1], 5000, 6000, CollectiveKind::kBroadcast);
  const auto found = FindArrivals(ranks, false).arrivals;
  ASSERT_TRUE(found[0][0]);
  EXPECT_EQ(found[0][0]->last_rank, 1);
  EXPECT_EQ(found[0][0]->waited_ns, 0u);  // it did not wait for the other
}

// Of a framework's operator it may not be known when its collective was done.
TEST(CollectivesTest, WithoutAnEndWhoNeedsAllWaited) {
  RankCollectives ranks[] = {Rank(0, 3), Rank(1, 3), Rank(2, 3)};
  for (const CollectiveKind kind : {CollectiveKind::kBarrier, CollectiveKind::kGather}) {
    Add(&ranks[0], 1000, 1000, kind);
    Add(&ranks[1], 5000, 5000, kind);
    Add(&ranks[2], 2000, 2000, kind);
  }
  const auto found = FindArrivals(ranks, false).arrivals;
  ASSERT_TRUE(found[0][0] && found[0][1]);
  EXPECT_EQ(found[0][0]->last_rank, 1);
  EXPECT_EQ(found[0][0]->waited_ns, 4000u);
  EXPECT_EQ(found[2][0]->waited_ns, 3000u);
  EXPECT_EQ(found[0][1]->last_rank, 1);
  EXPECT_EQ(found[0][1]->waited_ns, 0u);  // nobody knows whether it had to wait
}

// The second has 1,000 ns less to compute in its graph, and comes 4,000 ns later.
TEST(CollectivesTest, AThreadThatGoesOnDoesNotWait) {
  RankCollectives ranks[] = {Rank(0, 3), Rank(1, 3), Rank(2, 3)};
  Add(&ranks[0], 1000, 9000);
  Add(&ranks[1], 5000, 9000);
  Add(&ranks[2], 2000, 9000);
  ranks[0].done[0].may_wait_ns = 300;
  ranks[2].done[0].may_wait_ns = 3100;
  const auto found = FindArrivals(ranks, false).arrivals;
  ASSERT_TRUE(found[0][0] && found[1][0] && found[2][0]);
  EXPECT_EQ(found[0][0]->waited_ns, 0u);
  EXPECT_EQ(found[0][0]->last_rank, 1);
  EXPECT_EQ(found[2][0]->waited_ns, 3000u);
}

TEST(CollectivesTest, AGraphWaitsInsideForAsLongAsItIsLonger) {
  RankCollectives ranks[] = {Rank(0), Rank(1)};
  Add(&ranks[0], 1000, 9000, CollectiveKind::kInGraph);
  Add(&ranks[1], 5000, 9000, CollectiveKind::kInGraph);
  Add(&ranks[0], 11000, 15500, CollectiveKind::kInGraph);
  Add(&ranks[1], 15000, 19000, CollectiveKind::kInGraph);
  auto found = FindArrivals(ranks, false).arrivals;
  ASSERT_TRUE(found[0][0]);
  EXPECT_EQ(found[0][0]->last_rank, 1);
  EXPECT_EQ(found[0][0]->waited_ns, 4000u);
  ASSERT_TRUE(found[0][1]);
  EXPECT_EQ(found[0][1]->last_rank, 1);
  EXPECT_EQ(found[0][1]->waited_ns, 500u);
}

TEST(CollectivesTest, NothingIsSaidWithoutAllRanks) {
  RankCollectives alone[] = {Rank(0, 1)};
  Add(&alone[0], 1000, 2000);
  EXPECT_FALSE(FindArrivals(alone, false).arrivals[0][0]);
  RankCollectives elsewhere[] = {Rank(0, 4), Rank(1, 4)};
  RankCollectives unknown[] = {Rank(0), Rank(1)};
  for (RankCollectives& rank : unknown) rank.sizes.clear();
  for (RankCollectives* ranks : {elsewhere, unknown}) {
    Add(&ranks[0], 1000, 9000);
    Add(&ranks[1], 1500, 9000);
    EXPECT_FALSE(FindArrivals({ranks, 2}, false).arrivals[0][0]);
  }
  RankCollectives lossy[] = {Rank(0), Rank(1)};
  for (RankCollectives& rank : lossy) Add(&rank, 1000, 9000);
  EXPECT_TRUE(FindArrivals(lossy, false).arrivals[0][0]);
  lossy[1].complete = false;
  EXPECT_FALSE(FindArrivals(lossy, false).arrivals[0][0]);
}

TEST(CollectivesTest, AKernelWithoutARecordHarmsNoOther) {
  RankCollectives ranks[] = {Rank(0), Rank(1)};
  for (const uint64_t begin : {1000, 6050, 11100}) {
    Add(&ranks[0], begin, begin + 5000);
    Add(&ranks[1], begin, begin + 5000);
  }
  ranks[1].done.erase(ranks[1].done.begin() + 1);
  const auto found = FindArrivals(ranks, false).arrivals;
  EXPECT_FALSE(found[0][1]);
  for (const auto& arrival : {found[0][0], found[0][2], found[1][0], found[1][1]}) {
    ASSERT_TRUE(arrival);
    EXPECT_EQ(arrival->last_rank, -1);
    EXPECT_EQ(arrival->waited_ns, 0u);
  }
}

TEST(CollectivesTest, NothingIsSaidFromWhatCannotBeOneOn) {
  RankCollectives ranks[] = {Rank(0), Rank(1)};
  for (const uint64_t begin : {1000, 11000, 21000}) Add(&ranks[0], begin, begin + 5000);
  for (const uint64_t begin : {2000, 22000, 22000}) Add(&ranks[1], begin, begin + 4000);
  auto found = FindArrivals(ranks, false).arrivals;
  EXPECT_TRUE(found[0][0] && found[1][0]);
  EXPECT_FALSE(found[0][1] || found[1][1] || found[0][2]);
  ranks[1].done[1] = ranks[0].done[1];
  EXPECT_TRUE(FindArrivals(ranks, false).arrivals[0][2]);
  ranks[1].done[1].kind = CollectiveKind::kAllGather;
  EXPECT_FALSE(FindArrivals(ranks, false).arrivals[0][1]);
}

TEST(CollectivesTest, KernelsOfNccl) {
  const auto kind = [](const char* name) { return CollectiveOfKernel(name); };
  EXPECT_EQ(kind("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
            CollectiveKind::kAllReduce);
  EXPECT_EQ(kind("_Z40ncclDevKernel_ReduceScatter_Sum_f32_RING24ncclDevKernelArgsStorage"),
            CollectiveKind::kReduceScatter);
  EXPECT_EQ(kind("ncclSymkDevKernel_AllGather_ST"), CollectiveKind::kAllGather);
  EXPECT_EQ(kind("ncclKernel_Reduce_RING_LL_Sum_float"), CollectiveKind::kReduce);
  EXPECT_EQ(kind("ncclDevKernel_Broadcast_RING_LL"), CollectiveKind::kBroadcast);
  for (const char* other : {"ncclDevKernel_SendRecv(x)", "ncclDevKernel_Generic(x)", "nccl", "",
                            "Kernel_AllReduce_", "gemm_AllReduce_"})
    EXPECT_FALSE(kind(other)) << other;
}

TEST(CollectivesTest, WordsOfKernels) {
  EXPECT_EQ(WordOfKernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)"), "AllReduce");
  EXPECT_EQ(WordOfKernel("_Z22ncclDevKernel_SendRecv24ncclDevKernelArgsStorageILm4096EE"),
            "SendRecv");
  for (const char* other : {"", "nccl", "gemm_AllReduce_", "ncclDevKernel_"})
    EXPECT_EQ(WordOfKernel(other), "") << other;
}

}  // namespace
}  // namespace syncline
