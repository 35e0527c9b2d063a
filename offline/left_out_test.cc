// SPDX-License-Identifier: Apache-2.0
// What a reader has no room for is told in the trace, in the manifest and to the user.
#include <gtest/gtest.h>

#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"
#include "offline/testing/trace_writing.h"
#include "writers/testing/trace_check.h"

namespace syncline {
namespace {

using testing::kStartTicks;

constexpr uint64_t kMs = 1000000;

TEST(LeftOut, CallsWithoutRoomForTheirStacksAreToldEverywhere) {
  const testing::Scratch scratch;
  testing::RecordBatch batch;
  batch.Stream(1, 4210, true).Name(1, "wait").Code(1, 10, "a.py", "f", "", 0x308);
  std::vector<StackFrame> frames(100, {1, 0});
  for (uint32_t id = 1; id <= 30; ++id) {
    frames[id].instruction = 2;
    batch.Stack(id, frames)
        .CallWithStack(testing::PlausibleCall(CallRole::kSynchronizeQueue, 1, kStartTicks + 10 * id,
                                              kStartTicks + 10 * id + 5, id),
                       id);
  }
  testing::SpoolBuilder spool;
  spool.Process(testing::PlausibleProcess())
      .Records(0, batch)
      .End(kStartTicks + 100 * kMs, true, 0);
  TraceJob job;
  job.rank = 0;
  job.output = scratch / "rank-0.trace.json";
  job.most_records = 400;
  job.processes.emplace_back().spool = spool.Save(scratch / "a.spool");
  const RankResult result = WriteRankTrace(job);
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  const testing::TraceCheck check = testing::CheckTrace(testing::ReadTrace(job.output));
  EXPECT_TRUE(check.faults.empty()) << check.Faults();
  size_t with_stacks = 0;
  for (const auto& event : check.Events("X", "wait"))
    with_stacks += event["args"].contains("stack");
  EXPECT_GT(with_stacks, 2u);
  EXPECT_LT(with_stacks, 20u);
  const std::string sentence =
      std::to_string(30 - with_stacks) +
      " calls without line: there was no memory for more stacks (lower --stack-depth, or raise "
      "--memory-node)";
  EXPECT_EQ(result.problems, std::vector<std::string>{"train (4210): " + sentence});
  EXPECT_EQ(result.manifest.processes[0].problems, std::vector<std::string>{sentence});
  EXPECT_EQ(check.Events("i", "syncline: " + sentence).size(), 1u);
}

}  // namespace
}  // namespace syncline
