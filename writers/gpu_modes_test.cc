// SPDX-License-Identifier: Apache-2.0
// When how much of a GPU was recorded: in the trace, in the manifest, and back.
#include "model/gpu_modes.h"

#include <gtest/gtest.h>

#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"
#include "writers/testing/trace_check.h"
#include "writers/trace_job.h"

namespace syncline {
namespace {

using testing::kStartTicks;
using testing::RecordBatch;

constexpr uint64_t kMs = 1000000;

RankManifest Write(const RecordBatch& batch, const testing::Scratch& scratch) {
  testing::SpoolBuilder spool;
  spool.Process(testing::PlausibleProcess(4210))
      .Records(0, batch)
      .End(kStartTicks + 100 * kMs, true, 0);
  RankJob job;
  job.rank = 0;
  job.output = scratch / "rank-0.trace.json";
  job.processes.emplace_back().spool = spool.Save(scratch / "s.spool");
  const RankResult result = WriteRankTrace(job);
  EXPECT_TRUE(result.status.ok()) << result.status.message();
  return result.manifest;
}

TEST(GpuModesTest, PeriodsFollowEachOtherInTime) {
  const testing::Scratch scratch;
  // Another thread's records may come first in the spool.
  const RankManifest manifest = Write(RecordBatch()
                                          .Stream(1, 4210, true)
                                          .Name(1, "cuptiSubscribe")
                                          .Mode(kStartTicks + 50 * kMs, GpuMode::kAll, 0)
                                          .Mode(kStartTicks + 20 * kMs, GpuMode::kLent, 1)
                                          .Mode(kStartTicks + 10 * kMs, GpuMode::kAll, 0),
                                      scratch);
  const std::vector<GpuPeriod>& gpu = manifest.processes.at(0).gpu;
  ASSERT_EQ(gpu.size(), 3u);
  EXPECT_EQ(gpu[1].mode, GpuMode::kLent);
  EXPECT_EQ(gpu[1].why, "cuptiSubscribe");
  EXPECT_EQ(gpu[1].end_ns - gpu[1].begin_ns, 30 * kMs);
  EXPECT_EQ(gpu[0].end_ns, gpu[1].begin_ns);
  EXPECT_EQ(gpu[2].end_ns, manifest.processes[0].end_ns);

  const testing::TraceCheck check =
      testing::CheckTrace(testing::ReadTrace(scratch / "rank-0.trace.json"));
  EXPECT_TRUE(check.faults.empty()) << check.Faults();
  EXPECT_EQ(check.Events("X", "GPU recorded: left to another client").size(), 1u);
  const auto& told = check.trace["metadata"]["processes"][0]["gpu"];
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0]["recorded"], "cupti");
  EXPECT_EQ(told[1]["why"], "cuptiSubscribe");
  EXPECT_EQ(told[1]["dur_us"], 30000.0);

  const std::string path = scratch / "manifest.json";
  ASSERT_TRUE(WriteManifest(path, manifest).ok());
  RankManifest again;
  ASSERT_TRUE(ReadManifest(path, &again).ok());
  const std::vector<GpuPeriod>& read = again.processes.at(0).gpu;
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[1].mode, GpuMode::kLent);
  EXPECT_EQ(read[1].why, "cuptiSubscribe");
  EXPECT_EQ(read[1].begin_ns, gpu[1].begin_ns);
  EXPECT_EQ(read[1].end_ns, gpu[1].end_ns);
}

TEST(GpuModesTest, AModeThatCannotBeIsDamage) {
  const testing::Scratch scratch;
  const RankManifest manifest = Write(RecordBatch()
                                          .Stream(1, 4210, true)
                                          .Mode(kStartTicks, static_cast<GpuMode>(0), 0)
                                          .Mode(kStartTicks, static_cast<GpuMode>(5), 0)
                                          .Mode(UINT64_MAX, GpuMode::kNothing, 7),
                                      scratch);
  ASSERT_EQ(manifest.processes.at(0).gpu.size(), 1u);
  const GpuPeriod& period = manifest.processes[0].gpu[0];
  EXPECT_EQ(period.mode, GpuMode::kNothing);
  EXPECT_EQ(period.why, "");
  EXPECT_LE(period.begin_ns, period.end_ns);
  EXPECT_EQ(manifest.losses.at("damaged"), 2u);
}

TEST(GpuModesTest, AProcessWithoutGpuHasNone) {
  const testing::Scratch scratch;
  EXPECT_TRUE(Write(RecordBatch().Stream(1, 4210, true), scratch).processes.at(0).gpu.empty());
}

}  // namespace
}  // namespace syncline
