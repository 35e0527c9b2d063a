// SPDX-License-Identifier: Apache-2.0
// Losses that another version's table of kinds names: what the user sees of them.
#include <gtest/gtest.h>

#include "inject/core/loss_table.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"
#include "offline/testing/trace_writing.h"

namespace syncline {
namespace {

TEST(UnknownLosses, AreOneNumberAndALine) {
  testing::Scratch scratch;
  SpoolCounters counters{};
  counters.loss_table = LossTable() + 1;
  counters.losses[kLoss_ring_full] = 3;
  testing::SpoolBuilder spool;
  spool.Process(testing::PlausibleProcess()).Counters(counters);
  spool.End(testing::kStartTicks + 1000, true, 0);
  TraceJob job;
  job.output = scratch / "rank-0.trace.json";
  job.processes.emplace_back().spool = spool.Save(scratch / "s.spool");

  const RankResult result = WriteRankTrace(job);
  EXPECT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.manifest.losses, (std::map<std::string, uint64_t>{{"unknown_kinds", 3}}));
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_NE(result.problems[0].find("3 losses"), std::string::npos) << result.problems[0];
}

}  // namespace
}  // namespace syncline
