// SPDX-License-Identifier: Apache-2.0
// When how much of a GPU was recorded: in the trace, in the manifest, and back.
#include "model/devices/gpu_coverage.h"

#include <gtest/gtest.h>

#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"
#include "offline/testing/trace_writing.h"
#include "writers/testing/trace_check.h"

namespace syncline::gpu_coverage_test {
namespace {

using testing::kStartTicks;
using testing::RecordBatch;

constexpr uint64_t kMs = 1000000;

RankManifest Write(const RecordBatch& batch, const testing::Scratch& scratch) {
  testing::SpoolBuilder spool;
  spool.Process(testing::PlausibleProcess(4210))
      .Records(0, batch)
      .End(kStartTicks + 100 * kMs, true, 0);
  TraceJob job;
  job.rank = 0;
  job.output = scratch / "rank-0.trace.json";
  job.processes.emplace_back().spool = spool.Save(scratch / "s.spool");
  const RankResult result = WriteRankTrace(job);
  EXPECT_TRUE(result.status.ok()) << result.status.message();
  return result.manifest;
}

TEST(GpuCoverageTest, PeriodsFollowEachOtherInTime) {
  const testing::Scratch scratch;
  // Another thread's records may come first in the spool.
  const RankManifest manifest = Write(RecordBatch()
                                          .Stream(1, 4210, true)
                                          .Name(1, "cuptiSubscribe")
                                          .Coverage(kStartTicks + 50 * kMs, GpuCoverage::kAll, 0)
                                          .Coverage(kStartTicks + 20 * kMs, GpuCoverage::kLent, 1)
                                          .Coverage(kStartTicks + 10 * kMs, GpuCoverage::kAll, 0),
                                      scratch);
  const std::vector<ManifestCoverage>& gpu = manifest.processes.at(0).coverage;
  ASSERT_EQ(gpu.size(), 3u);
  EXPECT_EQ(gpu[1].recorded, "left to another client");
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
  const std::vector<ManifestCoverage>& read = again.processes.at(0).coverage;
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[1].recorded, "left to another client");
  EXPECT_EQ(read[1].why, "cuptiSubscribe");
  EXPECT_EQ(read[1].begin_ns, gpu[1].begin_ns);
  EXPECT_EQ(read[1].end_ns, gpu[1].end_ns);
}

TEST(GpuCoverageTest, WhatCannotBeIsDamage) {
  const testing::Scratch scratch;
  const RankManifest manifest = Write(RecordBatch()
                                          .Stream(1, 4210, true)
                                          .Coverage(kStartTicks, static_cast<GpuCoverage>(0), 0)
                                          .Coverage(kStartTicks, static_cast<GpuCoverage>(5), 0)
                                          .Coverage(UINT64_MAX, GpuCoverage::kNothing, 7),
                                      scratch);
  ASSERT_EQ(manifest.processes.at(0).coverage.size(), 1u);
  const ManifestCoverage& period = manifest.processes[0].coverage[0];
  EXPECT_EQ(period.recorded, "nothing");
  EXPECT_EQ(period.why, "");
  EXPECT_LE(period.begin_ns, period.end_ns);
  EXPECT_EQ(manifest.losses.at("damaged"), 2u);
}

TEST(GpuCoverageTest, AProcessWithoutGpuHasNone) {
  const testing::Scratch scratch;
  EXPECT_TRUE(Write(RecordBatch().Stream(1, 4210, true), scratch).processes.at(0).coverage.empty());
}

}  // namespace
}  // namespace syncline::gpu_coverage_test
