// SPDX-License-Identifier: Apache-2.0
// Steps in whole traces: names, rows, counts.
#include "writers/chrome/layout/steps.h"

#include <gtest/gtest.h>

#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"
#include "offline/testing/trace_writing.h"
#include "writers/chrome/layout/rows.h"
#include "writers/testing/trace_check.h"

namespace syncline {
namespace {

using testing::kStartTicks;
using testing::Nanoseconds;
using testing::RecordBatch;
using testing::TraceCheck;

class StepsTest : public ::testing::Test {
 protected:
  StepsTest() {
    job.rank = 0;
    job.output = scratch / "rank-0.trace.json";
    job.step_range = "*tep*";
    batch.Stream(1, 4210, true).Name(1, "step").Name(2, "ProfilerStep#7").Name(3, "other");
  }
  TraceCheck Write() {
    testing::SpoolBuilder spool;
    spool.Process(testing::PlausibleProcess(4210)).Records(0, batch);
    spool.End(kStartTicks + 1000000, true, 0);
    job.processes.emplace_back().spool = spool.Save(scratch / "s.spool");
    result = WriteRankTrace(job);
    TraceCheck check = testing::CheckTrace(testing::ReadTrace(job.output));
    EXPECT_TRUE(check.faults.empty()) << check.Faults();
    return check;
  }

  testing::Scratch scratch;
  TraceJob job;
  RankResult result;
  RecordBatch batch;
};

TEST_F(StepsTest, StandOnARowOfTheirThread) {
  for (const uint64_t begin : {10000u, 30000u, 50000u})
    batch.Range(1, kStartTicks + begin, kStartTicks + begin + 8000);
  const TraceCheck check = Write();
  const auto steps = check.Events("X", "ProfilerStep#1");
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(Nanoseconds(steps[0]["dur"]), 20000);
  EXPECT_EQ(steps[0]["cat"], "user_annotation");
  EXPECT_EQ(steps[0]["args"]["step_range"], "step");
  EXPECT_EQ(steps[0]["tid"], 4210 + kStepsRow * kTidStep);
  EXPECT_EQ(Nanoseconds(check.Events("X", "ProfilerStep#2")[0]["dur"]), 8000);
  EXPECT_EQ(check.Events("X", "step").size(), 3u) << "the ranges stay";
  bool named = false;
  for (const auto& event : check.Events("M", "thread_name"))
    named = named || event["args"]["name"] == "main (steps)";
  EXPECT_TRUE(named);
  EXPECT_EQ(result.manifest.steps, 3u);
  EXPECT_EQ(result.manifest.ranges, 3u);
}

TEST_F(StepsTest, RangesThatHaveTheNameAlreadyAreLeftAsTheyAre) {
  batch.Range(2, kStartTicks + 10000, kStartTicks + 18000);
  const TraceCheck check = Write();
  EXPECT_EQ(check.Events("X", "ProfilerStep#7").size(), 1u);
  EXPECT_EQ(check.Events("X", "ProfilerStep#0").size(), 0u);
  EXPECT_EQ(result.manifest.steps, 0u);
}

TEST_F(StepsTest, NoneAreShownWhereNoneAreAskedFor) {
  job.step_range = "";
  batch.Range(1, kStartTicks + 10000, kStartTicks + 18000);
  EXPECT_EQ(Write().Events("X", "ProfilerStep#0").size(), 0u);
}

}  // namespace
}  // namespace syncline
