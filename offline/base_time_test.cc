// SPDX-License-Identifier: Apache-2.0
// Bases of times, and traces at every distance from them.
#include "model/run/base_time.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/testing/scratch.h"
#include "offline/testing/touching_spool.h"
#include "writers/testing/trace_check.h"

namespace syncline {
namespace {

constexpr uint64_t kSecond = 1000000000;

TEST(BaseTime, AnHourBeforeTheJobOrOnAGrid) {
  const uint64_t now = 1795305600 * kSecond + 5;
  EXPECT_EQ(BaseTimeOf(BaseFrom::kJob, now).ns, (1795305600 - 3600) * kSecond);
  EXPECT_EQ(BaseTimeOf(BaseFrom::kRank, now).ns, (1795305600 - 3600) * kSecond);
  EXPECT_EQ(BaseTimeOf(BaseFrom::kKineto, now).ns, 227 * 7889238 * kSecond);
  EXPECT_EQ(BaseTimeOf(BaseFrom::kKineto, 227 * 7889238 * kSecond - 1).ns, 226 * 7889238 * kSecond);
  const uint64_t grid = (uint64_t{1} << 20) * kSecond;
  EXPECT_EQ(BaseTimeOf(BaseFrom::kGrid, 1712 * grid + 3600 * kSecond).ns, 1712 * grid);
  EXPECT_EQ(BaseTimeOf(BaseFrom::kGrid, 1712 * grid + 3600 * kSecond - 1).ns, 1711 * grid);
  for (const BaseFrom from : {BaseFrom::kJob, BaseFrom::kKineto, BaseFrom::kGrid, BaseFrom::kRank})
    EXPECT_EQ(BaseTimeOf(from, 7).ns, 0u) << "a clock that was never set";
}

// Whatever the date, what doubles of microseconds hold is not used up before 25 days but on
// Kineto's grid.
TEST(BaseTime, LeavesRoomForWeeksAtEveryDate) {
  for (uint64_t day = 0; day < 20000; ++day) {
    const uint64_t now = (1795305600 + day * 86400) * kSecond;
    EXPECT_LE(now - BaseTimeOf(BaseFrom::kJob, now).ns, 3601 * kSecond);
    const uint64_t after_grid = now - BaseTimeOf(BaseFrom::kGrid, now).ns;
    EXPECT_GE(after_grid, 3600 * kSecond);
    EXPECT_LE(after_grid, 13 * 86400 * kSecond);
  }
}

TEST(BaseTime, NamesThereAndBack) {
  for (const BaseFrom from :
       {BaseFrom::kJob, BaseFrom::kInherited, BaseFrom::kKineto, BaseFrom::kGrid, BaseFrom::kRank})
    EXPECT_EQ(BaseFromOf(BaseFromName(from)), from);
  EXPECT_EQ(BaseFromOf("of another version"), BaseFrom::kGrid);
}

TEST(Traces, SlicesThatTouchNestOnEachKindOfRowAtEveryDistance) {
  testing::Scratch scratch;
  for (const double distance : {32.0, 41.0, 42.0, 42.03, 43.0}) {
    for (const uint64_t step : {1, 10}) {
      testing::TouchingSlices wanted;
      wanted.after_base_ns = static_cast<uint64_t>(std::exp2(distance) * 1000);
      wanted.step_ns = step;
      wanted.ranges = 1000;
      TraceJob job = testing::WriteTouchingSpool(wanted, scratch / "s.spool");
      job.output = scratch / "rank-0.trace.json";
      for (const TimeUnit unit : {TimeUnit::kNs, TimeUnit::kUs}) {
        job.unit = unit;
        const RankResult result = WriteRankTrace(job);
        ASSERT_TRUE(result.status.ok()) << result.status.message();
        EXPECT_TRUE(result.problems.empty() && result.manifest.losses.empty());
        const testing::TraceCheck check = testing::CheckTrace(testing::ReadTrace(job.output));
        EXPECT_TRUE(check.faults.empty()) << "2^" << distance << " us: " << check.Faults();
      }
    }
  }
}

}  // namespace
}  // namespace syncline
