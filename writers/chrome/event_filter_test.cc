// SPDX-License-Identifier: Apache-2.0
// Traces that are limited to long slices and to some kernels: exactly those, and the rest counted.
#include "writers/chrome/event_filter.h"

#include <gtest/gtest.h>

#include <set>

#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"
#include "offline/testing/trace_writing.h"
#include "writers/testing/trace_check.h"

namespace syncline::shown_test {
namespace {

using testing::kStartRealtime;
using testing::kStartTicks;
using testing::RecordBatch;
using testing::SpoolBuilder;
using testing::TraceCheck;

constexpr uint64_t kUs = 1000;
constexpr uint64_t kDevice = kStartRealtime + 1000 * 1000 * kUs;  // of its clock, at kStartTicks

enum Names : uint32_t { kLaunch = 1, kCopyCall, kGemm, kAdd, kStep, kInside };

class ShownTest : public ::testing::Test {
 protected:
  // Three launches and a copy, 2 us each on the host: `gemm` of 50 us, `add` of 3 us, `gemm` of 4
  // us, a copy of 60 us. A range of 500 us around one of 1 us.
  ShownTest() {
    job.rank = 0;
    job.output = scratch / "rank-0.trace.json";
    RecordBatch batch;
    batch.Stream(1, 4210, true)
        .Name(kLaunch, "cudaLaunchKernel", 211)
        .Name(kCopyCall, "cudaMemcpy");
    batch.Name(kGemm, "_Z4gemmPfi").Name(kAdd, "_Z3addPfi").Name(kStep, "step");
    batch.Name(kInside, "inside");
    batch.Device(0, testing::PlausibleDevice(), "Model")
        .DeviceClock(kStartTicks, kDevice + 20, kStartTicks + 40);
    const KernelDetails kernel = testing::PlausibleKernel();
    struct {
      uint32_t name;
      uint64_t at, us;
    } const work[] = {{kGemm, 10, 50}, {kAdd, 80, 3}, {kGemm, 100, 4}, {0, 120, 60}};
    uint32_t correlation = 0;
    for (const auto& [name, at, us] : work) {
      ++correlation;
      const bool copy = name == 0;
      const uint64_t begin = kStartTicks + (at - 5) * kUs;
      batch.Call(testing::PlausibleCall(copy ? CallRole::kCopy : CallRole::kLaunch,
                                        copy ? kCopyCall : kLaunch, begin, begin + 2 * kUs,
                                        correlation, 0, 0));
      DeviceOpRecord op =
          testing::PlausibleOp(copy ? DeviceOpType::kCopy : DeviceOpType::kKernel, 7, correlation,
                               kDevice + at * kUs, kDevice + (at + us) * kUs);
      op.head.id = name;
      copy ? batch.DeviceOp(op) : batch.DeviceOp(op, &kernel);
    }
    batch.Range(kInside, kStartTicks + 20 * kUs, kStartTicks + 21 * kUs);
    batch.Range(kStep, kStartTicks + 1 * kUs, kStartTicks + 501 * kUs);
    SpoolBuilder spool;
    spool.Process(testing::PlausibleProcess(4210))
        .Records(0, batch)
        .End(kStartTicks + 100000 * kUs, true, 0);
    job.processes.emplace_back().spool = spool.Save(scratch / "s.spool");
  }

  TraceCheck Write(uint64_t min_duration_ns, const std::string& kernels) {
    job.shown = {min_duration_ns, kernels};
    manifest = WriteRankTrace(job).manifest;
    TraceCheck check = testing::CheckTrace(testing::ReadTrace(job.output));
    EXPECT_TRUE(check.faults.empty()) << check.Faults();
    return check;
  }

  // Names of the slices of host and GPU, but for the life and what is found out.
  static std::multiset<std::string> Slices(const TraceCheck& check) {
    const std::set<std::string> kinds = {"cuda_runtime", "kernel", "gpu_memcpy", "user_annotation"};
    std::multiset<std::string> names;
    for (const auto& event : check.trace["traceEvents"]) {
      if (event["ph"] == "X" && kinds.contains(event["cat"].get<std::string>()))
        names.insert(event["name"].get<std::string>());
    }
    return names;
  }
  static size_t Arrows(const TraceCheck& check) {
    EXPECT_EQ(check.Events("s", "ac2g").size(), check.Events("f", "ac2g").size());
    return check.Events("s", "ac2g").size();
  }
  std::vector<uint64_t> Counts() const {
    const NotShown& not_shown = manifest.not_shown;
    return {manifest.ranges, not_shown.ranges,    manifest.calls,
            not_shown.calls, manifest.device_ops, not_shown.device_ops};
  }

  testing::Scratch scratch;
  TraceJob job;
  RankManifest manifest;
};

TEST_F(ShownTest, AllWithoutALimit) {
  const TraceCheck check = Write(0, "");
  EXPECT_EQ(Slices(check).size(), 10u);
  EXPECT_EQ(Arrows(check), 4u);
  EXPECT_EQ(Counts(), (std::vector<uint64_t>{2, 0, 4, 0, 4, 0}));
  EXPECT_FALSE(check.trace["metadata"].contains("min_duration_ns"));
  EXPECT_FALSE(check.trace["metadata"].contains("kernels"));
}

TEST_F(ShownTest, LongSlicesKeepTheCallsThatLaunchedThem) {
  const TraceCheck check = Write(10 * kUs, "");
  const std::multiset<std::string> names = Slices(check);
  EXPECT_EQ(names.count("gemm(float*, int)"), 1u);
  EXPECT_EQ(names.count("cudaLaunchKernel"), 1u) << "a call is too short by itself";
  EXPECT_EQ(names.count("cudaMemcpy"), 1u);
  EXPECT_EQ(names.count("step"), 1u);
  EXPECT_EQ(names.size(), 5u);
  EXPECT_EQ(Arrows(check), 2u);
  EXPECT_EQ(Counts(), (std::vector<uint64_t>{1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(check.trace["metadata"]["min_duration_ns"], 10 * kUs);
}

TEST_F(ShownTest, AsLongAsTheLimitIsLongEnough) {
  EXPECT_EQ(Slices(Write(4 * kUs, "")).count("gemm(float*, int)"), 2u);
  EXPECT_EQ(Slices(Write(4 * kUs + 1, "")).count("gemm(float*, int)"), 1u);
}

TEST_F(ShownTest, KernelsByTheNamesThatPeopleRead) {
  const TraceCheck check = Write(0, "nothing*, add(*");
  const std::multiset<std::string> names = Slices(check);
  EXPECT_EQ(names.count("gemm(float*, int)"), 0u);
  EXPECT_EQ(names.count("add(float*, int)"), 1u);
  EXPECT_EQ(names.count("cudaLaunchKernel"), 3u) << "calls are not kernels";
  EXPECT_EQ(names.size(), 8u) << "nor are copies";
  EXPECT_EQ(Arrows(check), 2u);
  EXPECT_EQ(Counts(), (std::vector<uint64_t>{2, 0, 4, 0, 2, 2}));
  EXPECT_EQ(check.trace["metadata"]["kernels"], "nothing*, add(*");
}

TEST_F(ShownTest, Both) {
  const TraceCheck check = Write(3 * kUs, "gemm*");
  EXPECT_EQ(Slices(check).count("cudaLaunchKernel"), 2u);
  EXPECT_EQ(Counts(), (std::vector<uint64_t>{1, 1, 3, 1, 3, 1}));
  EXPECT_EQ(Arrows(check), 3u);
}

}  // namespace
}  // namespace syncline::shown_test
