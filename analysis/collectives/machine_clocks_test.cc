// SPDX-License-Identifier: Apache-2.0
// Ranks of two machines whose clocks are not the same.
#include "analysis/collectives/machine_clocks.h"

#include <gtest/gtest.h>

#include <random>

namespace syncline {
namespace {

constexpr uint64_t kCommunicator = 77;
constexpr uint64_t kStart = 1'780'000'000'000'000'000;
constexpr uint64_t kMs = 1'000'000;

RankCollectives Rank(int rank, const char* machine, int64_t offset_ns = 0) {
  RankCollectives of;
  of.rank = rank;
  of.error_ns = 50;
  of.clock = {machine, offset_ns};
  return of;
}

// `ahead_ns`: of the machine's clock.
void Add(RankCollectives* of, uint64_t begin_ns, uint64_t end_ns, int64_t ahead_ns,
         CollectiveKind kind = CollectiveKind::kAllReduce) {
  Collective done;
  done.communicator = kCommunicator;
  done.sequence = static_cast<uint32_t>(of->done.size());
  done.begin_ns = begin_ns + static_cast<uint64_t>(ahead_ns);
  done.end_ns = end_ns + static_cast<uint64_t>(ahead_ns);
  done.kind = kind;
  of->done.push_back(done);
}

// Rank 2 comes 5 ms late each time; kernels end together, 200 us after it came.
void Meet(std::vector<RankCollectives>* ranks, const std::vector<int64_t>& ahead_ns, int times,
          double drift = 0) {
  std::mt19937 random(5);
  for (int i = 0; i < times; ++i) {
    const uint64_t at = kStart + static_cast<uint64_t>(i) * 100 * kMs;
    for (size_t rank = 0; rank < ranks->size(); ++rank) {
      const uint64_t begin = at + random() % 100'000 + (rank == 2 ? 5 * kMs : 0);
      const auto drifted = static_cast<int64_t>(drift * static_cast<double>(at - kStart));
      Add(&(*ranks)[rank], begin, at + 5 * kMs + 300'000 + random() % 1000,
          ahead_ns[rank] + (ahead_ns[rank] != 0 ? drifted : 0));
    }
  }
}

uint64_t CameLast(const Meetings& met, const std::vector<RankCollectives>& ranks, int rank) {
  uint64_t count = 0;
  for (size_t i = 0; i < ranks[0].done.size(); ++i)
    count += met.arrivals[0][i] && met.arrivals[0][i]->last_rank == rank;
  return count;
}

TEST(MachineClocksTest, ThreeSecondsApartAndStillTheLastOneIsKnown) {
  constexpr int64_t kAhead = 3'000'000'000;
  std::vector<RankCollectives> ranks = {Rank(0, "a"), Rank(1, "a"), Rank(2, "b"), Rank(3, "b")};
  Meet(&ranks, {0, 0, kAhead, kAhead}, 20);
  const Meetings met = FindArrivals(ranks, true);
  EXPECT_EQ(CameLast(met, ranks, 2), 20u);
  EXPECT_GT(met.clock_error_ns, 0u);
  EXPECT_LT(met.clock_error_ns, 310'000u);
  EXPECT_NEAR(static_cast<double>(met.largest_offset_ns), static_cast<double>(kAhead),
              static_cast<double>(met.clock_error_ns));
  for (size_t i = 0; i < 20; ++i) {
    ASSERT_TRUE(met.arrivals[0][i]);
    EXPECT_NEAR(static_cast<double>(met.arrivals[0][i]->waited_ns), 5e6,
                1e5 + static_cast<double>(met.clock_error_ns));
  }
}

TEST(MachineClocksTest, LinesOfOneMachineDifferByWhatIsKnown) {
  std::vector<RankCollectives> ranks = {Rank(0, "a", 1000), Rank(1, "a", 1000), Rank(2, "a", -77),
                                        Rank(3, "a", 1000)};
  // The third rank's line is 1,077 ns behind.
  Meet(&ranks, {0, 0, -1077, 0}, 5);
  const Meetings met = FindArrivals(ranks, true);
  EXPECT_EQ(CameLast(met, ranks, 2), 5u);
  EXPECT_EQ(met.clock_error_ns, 0u);
}

TEST(MachineClocksTest, ClocksThatDriftTooFastAreRefused) {
  std::vector<RankCollectives> ranks = {Rank(0, "a"), Rank(1, "a"), Rank(2, "b"), Rank(3, "b")};
  Meet(&ranks, {0, 0, 1000, 1000}, 50, 0.01);
  const Meetings met = FindArrivals(ranks, true);
  EXPECT_EQ(met.left_out[0][static_cast<size_t>(LeftOut::kClocks)], 50u);
  EXPECT_EQ(CameLast(met, ranks, 2), 0u);
}

TEST(MachineClocksTest, EachTenSecondsHaveAnOffsetOfTheirOwn) {
  std::vector<RankCollectives> ranks = {Rank(0, "a"), Rank(1, "a"), Rank(2, "b"), Rank(3, "b")};
  // 10 us a second: 600 us in a minute, more than the width of the bounds.
  Meet(&ranks, {0, 0, 1000, 1000}, 600, 1e-5);
  const Meetings met = FindArrivals(ranks, true);
  EXPECT_EQ(CameLast(met, ranks, 2), 600u);
}

TEST(MachineClocksTest, WithoutACollectiveThatAllNeedNothingIsKnown) {
  std::vector<RankCollectives> ranks = {Rank(0, "a"), Rank(1, "b")};
  Add(&ranks[0], kStart, kStart + kMs, 0, CollectiveKind::kBroadcast);
  Add(&ranks[1], kStart, kStart + kMs, 0, CollectiveKind::kBroadcast);
  const Meetings met = FindArrivals(ranks, true);
  EXPECT_FALSE(met.arrivals[0][0]);
  EXPECT_EQ(met.left_out[1][static_cast<size_t>(LeftOut::kClocks)], 1u);
}

TEST(MachineClocksTest, DamagedTimesDoNoHarm) {
  std::vector<RankCollectives> ranks = {Rank(0, "a", INT64_MAX / 2), Rank(1, "b", INT64_MIN / 2),
                                        Rank(2, "b", INT64_MAX / 2)};
  for (RankCollectives& rank : ranks) {
    Add(&rank, 0, uint64_t{1} << 62, 0);
    Add(&rank, uint64_t{1} << 62, uint64_t{1} << 62, 0);
  }
  (void)FindArrivals(ranks, true);
}

}  // namespace
}  // namespace syncline
