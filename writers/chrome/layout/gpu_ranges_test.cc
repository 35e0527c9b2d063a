// SPDX-License-Identifier: Apache-2.0
// Ranges on the rows of GPUs: extents, nesting, rows for those that cross.
#include "writers/chrome/layout/gpu_ranges.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"
#include "offline/testing/trace_writing.h"
#include "writers/testing/trace_check.h"

namespace syncline::gpu_ranges_test {
namespace {

using testing::kStartRealtime;
using testing::kStartTicks;
using testing::RecordBatch;
using testing::SpoolBuilder;
using testing::TraceCheck;

enum Names : uint32_t { kLaunch = 1, kKernel, kOuter, kInner, kOther };

// What stands on a GPU for a range; times in ns after the process's start.
struct Shown {
  std::string name;
  uint32_t tid;
  int64_t begin;
  int64_t end;
  bool operator==(const Shown&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Shown& shown) {
  return out << shown.name << " on " << shown.tid << ": " << shown.begin << ".." << shown.end;
}

class GpuRangesTest : public ::testing::Test {
 protected:
  static RecordBatch Thread(uint64_t stream, uint32_t tid) {
    RecordBatch batch;
    batch.Stream(stream, tid, stream == 1).Name(kLaunch, "cudaLaunchKernel").Name(kKernel, "f");
    batch.Name(kOuter, "outer").Name(kInner, "inner").Name(kOther, "other");
    if (stream == 1)
      batch.Device(0, testing::PlausibleDevice(), "Model")
          .DeviceClock(kStartTicks, kStartRealtime + 20, kStartTicks + 40);
    return batch;
  }
  static void Launch(RecordBatch* batch, uint32_t correlation, uint64_t at) {
    batch->Call(testing::PlausibleCall(CallRole::kLaunch, kLaunch, kStartTicks + at,
                                       kStartTicks + at + 10, correlation));
  }
  static void Op(RecordBatch* batch, uint32_t correlation, uint64_t begin, uint64_t end,
                 uint32_t stream = 7) {
    DeviceOpRecord op = testing::PlausibleOp(DeviceOpType::kKernel, stream, correlation,
                                             kStartRealtime + begin, kStartRealtime + end);
    op.head.id = kKernel;
    batch->DeviceOp(op);
  }
  static void Range(RecordBatch* batch, uint32_t name, uint64_t begin, uint64_t end,
                    uint16_t domain = 0, uint8_t flags = 0) {
    batch->Range(name, kStartTicks + begin, kStartTicks + end, domain, flags);
  }

  std::vector<Shown> Write(const std::vector<RecordBatch>& batches) {
    SpoolBuilder spool;
    spool.Process(testing::PlausibleProcess());
    for (size_t i = 0; i < batches.size(); ++i) spool.Records(static_cast<uint32_t>(i), batches[i]);
    spool.End(kStartTicks + 100000000, true, 0);
    TraceJob job;
    job.rank = 0;
    job.output = scratch / "rank-0.trace.json";
    job.processes.emplace_back().spool = spool.Save(scratch / "s.spool");
    const RankResult result = WriteRankTrace(job);
    EXPECT_TRUE(result.status.ok()) << result.status.message();
    check = testing::CheckTrace(testing::ReadTrace(job.output));
    EXPECT_TRUE(check.faults.empty()) << check.Faults();
    std::vector<Shown> shown;
    const auto start =
        static_cast<int64_t>(kStartRealtime - check.trace["baseTimeNanoseconds"].get<uint64_t>());
    for (const auto& event : check.Events("X")) {
      if (event["cat"] != "gpu_user_annotation") continue;
      const auto begin = std::llround(event["ts"].get<double>() * 1000) - start;
      shown.push_back({event["name"], event["tid"], begin,
                       begin + std::llround(event["dur"].get<double>() * 1000)});
    }
    return shown;
  }

  testing::Scratch scratch;
  TraceCheck check;
};

TEST_F(GpuRangesTest, NestedRangesOverTwoStreams) {
  RecordBatch batch = Thread(1, 4210);
  Launch(&batch, 1, 1100);
  Launch(&batch, 2, 1200);
  Range(&batch, kInner, 1050, 1300, 0);
  Launch(&batch, 3, 1400);
  Range(&batch, kOuter, 1000, 2000);
  Launch(&batch, 4, 3000);  // in no range
  Range(&batch, kOther, 4000, 5000);
  Op(&batch, 1, 5000, 6000);
  Op(&batch, 2, 5500, 5800, 9);
  Op(&batch, 3, 7000, 8000);
  Op(&batch, 4, 9000, 9900);
  const std::vector<Shown> shown = Write({batch});
  ASSERT_EQ(shown.size(), 4u);
  EXPECT_EQ(shown[0], (Shown{"outer", 7, 5000, 8000}));
  EXPECT_EQ(shown[1], (Shown{"inner", 7, 5000, 6000}));
  EXPECT_EQ(shown[2], (Shown{"outer", 9, 5500, 5800}));
  EXPECT_EQ(shown[3].name, "inner");
  EXPECT_EQ(shown[3].begin, 5500);
  EXPECT_LE(shown[3].end, 5803);
}

TEST_F(GpuRangesTest, NoRoomBetweenOperations) {
  RecordBatch batch = Thread(1, 4210);
  for (uint32_t i = 1; i <= 300; ++i) {
    Launch(&batch, i, 1000 * i);
    Range(&batch, kInner, 1000 * i - 20, 1000 * i + 20);
    Range(&batch, kOuter, 1000 * i - 30, 1000 * i + 30);
    Op(&batch, i, 7000 + 777 * i, 7000 + 777 * (i + 1));
  }
  const std::vector<Shown> shown = Write({batch});
  ASSERT_EQ(shown.size(), 600u);
  const auto elsewhere =
      std::count_if(shown.begin(), shown.end(), [](const Shown& s) { return s.tid != 7; });
  EXPECT_LE(elsewhere, 6);  // where no duration reads as wanted
}

TEST_F(GpuRangesTest, RangesOfTwoThreadsThatCrossHaveRowsOfTheirOwn) {
  RecordBatch first = Thread(1, 4210), second = Thread(2, 4211);
  Launch(&first, 1, 1000);
  Launch(&second, 2, 1100);
  Launch(&first, 3, 1200);
  Launch(&second, 4, 1300);
  Range(&first, kOuter, 900, 1250);
  Range(&second, kOther, 950, 1350);
  for (uint32_t i = 1; i <= 4; ++i) Op(&first, i, 5000 + 1000 * i, 5500 + 1000 * i);
  const std::vector<Shown> shown = Write({first, second});
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0], (Shown{"outer", 7, 6000, 8500}));
  EXPECT_EQ(shown[1], (Shown{"other", 1000007, 7000, 9500}));
  const auto names = check.Events("M", "thread_name");
  EXPECT_TRUE(std::any_of(names.begin(), names.end(), [](const auto& event) {
    return event["tid"] == 1000007 && event["args"]["name"] == "stream 7 (ranges)";
  }));
}

TEST_F(GpuRangesTest, AnOperationOnAnotherLaneThatAnotherCrosses) {
  RecordBatch batch = Thread(1, 4210);
  Launch(&batch, 1, 1000);
  Launch(&batch, 2, 1100);
  Range(&batch, kInner, 1050, 1200);
  Op(&batch, 1, 5000, 6000);
  Op(&batch, 2, 5500, 6500);  // starts before the first one ended, as kernels may
  const std::vector<Shown> shown = Write({batch});
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].begin, 5500);
  EXPECT_NE(shown[0].tid, 7u);
}

TEST_F(GpuRangesTest, DomainsAreNamedAndMayCross) {
  RecordBatch batch = Thread(1, 4210);
  batch.Domain(1, 11, "solver");
  Launch(&batch, 1, 1000);
  Launch(&batch, 2, 1200);
  Range(&batch, kOuter, 900, 1100, 0, kCrossing);
  Launch(&batch, 3, 1300);
  Range(&batch, kInner, 1150, 1400, 1);
  Op(&batch, 1, 5000, 5500);
  Op(&batch, 2, 6000, 6500);
  Op(&batch, 3, 7000, 7500);
  const std::vector<Shown> shown = Write({batch});
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0], (Shown{"outer", 7, 5000, 5500}));
  EXPECT_EQ(shown[1], (Shown{"inner", 7, 6000, 7500}));
  EXPECT_EQ(check.Events("X", "inner")[0]["args"].dump(), "{\"domain\":\"solver\"}");
}

TEST_F(GpuRangesTest, WhatWasLeftInASmallerRingComesLater) {
  RecordBatch old = Thread(1, 4210), moved;
  Launch(&old, 1, 1100);
  Op(&old, 1, 5000, 5500);
  moved.Stream(1, 4210, true, 1, kStartTicks + 1150);
  Range(&moved, kOuter, 1000, 1500);
  RecordBatch begin;
  begin.Stream(1, 4210, true).Name(kOuter, "outer");
  // The larger ring's block stands before the rest of the smaller one.
  const std::vector<Shown> shown = Write({begin, moved, old});
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0], (Shown{"outer", 7, 5000, 5500}));
}

TEST_F(GpuRangesTest, ARangeThatNeverEndedHoldsWhatCameAfterItsBegin) {
  RecordBatch batch = Thread(1, 4210);
  Launch(&batch, 1, 900);
  Launch(&batch, 2, 1200);
  Op(&batch, 1, 5000, 5500);
  Op(&batch, 2, 6000, 6500);
  OpenRange open{};
  open.begin = kStartTicks + 1000;
  open.name = kOuter;
  SpoolBuilder spool;
  spool.Process(testing::PlausibleProcess()).Records(0, batch).Open(0, 1, 4210, {&open, 1});
  spool.End(kStartTicks + 100000000, true, 0);
  TraceJob job;
  job.output = scratch / "t.trace.json";
  job.processes.emplace_back().spool = spool.Save(scratch / "s.spool");
  ASSERT_TRUE(WriteRankTrace(job).status.ok());
  check = testing::CheckTrace(testing::ReadTrace(job.output));
  EXPECT_TRUE(check.faults.empty()) << check.Faults();
  int found = 0;
  for (const auto& event : check.Events("X", "outer"))
    found += event["cat"] == "gpu_user_annotation";
  EXPECT_EQ(found, 1);
}

// Records as they are read; the device's clock is that of the host.
class Projected {
 public:
  Projected() {
    const SpoolProcess process = testing::PlausibleProcess();
    host_.Build(process, {}, process.consumer_start);
    DeviceClockRecord reading{};
    reading.before = reading.after = kStartTicks;
    reading.device_ns = kStartRealtime;
    clocks_.Build({{0, {reading}}}, &host_);
    log.AddThread(kThread);
    log.labels.push_back({"step", ""});
  }

  void Launch(uint32_t correlation, uint64_t at) {
    SourceCall call;
    call.begin_ns = at;
    call.correlation = correlation;
    call.tid = kThread;
    records_.calls.push_back(call);
  }
  void Op(uint32_t correlation, uint64_t begin, uint64_t end, uint32_t stream) {
    DeviceOpRecord record = testing::PlausibleOp(DeviceOpType::kKernel, stream, correlation,
                                                 kStartRealtime + begin, kStartRealtime + end);
    lanes_.Place(record);
    GpuOp op;
    op.begin_ns = record.begin;
    op.end_ns = record.end;
    op.correlation = correlation;
    op.context = record.context;
    op.stream = stream;
    records_.ops.push_back(op);
  }
  GpuRanges Project() const { return ProjectRanges({records_, lanes_, clocks_, {}, log}); }

  static constexpr uint32_t kThread = 4210;
  Survey survey;
  RangeLog log{survey, std::make_shared<uint64_t>(0)};

 private:
  Timeline host_;
  DeviceClocks clocks_;
  GpuRecords records_;
  DeviceLanes lanes_;
};

// One correlation for everything, on many streams: each operation counts once for a range, for one
// of the launches. Quadratic work would never end.
TEST(ProjectRanges, HostileRecordsTakeNoQuadraticTime) {
  constexpr uint32_t kMany = 100000, kStreams = 20;
  Projected work;
  for (uint32_t i = 0; i < kMany; ++i) {
    work.Launch(5, 1000 + i);
    work.Op(5, 5000 + 30 * i, 5020 + 30 * i, 7 + i % kStreams);
  }
  for (uint32_t i = 0; i < kMany; ++i) work.log.ranges.push_back({1000 - i % 1000, 2000 + i, 0, 0});
  const GpuRanges ranges = work.Project();
  EXPECT_EQ(ranges.ranges.size() + ranges.left_out, uint64_t{kMany} * kStreams);
}

// A range keeps 1,024 streams; each further one is told, also if a range inside it used that.
TEST(ProjectRanges, StreamsThatAnOuterRangeCannotKeepAreCounted) {
  constexpr uint32_t kInEach = 1000, kKept = 1024;
  Projected work;
  for (uint32_t i = 0; i < 2 * kInEach; ++i) {
    work.Launch(i + 1, 1000 + 10 * i);
    work.Op(i + 1, 100000 + 30 * i, 100020 + 30 * i, 7 + i);
  }
  work.log.ranges.push_back({1000, 1000 + 10 * kInEach - 1, 0, 0});
  work.log.ranges.push_back({1000 + 10 * kInEach, 1000 + 20 * kInEach, 0, 0});
  work.log.ranges.push_back({500, 1000 + 30 * kInEach, 0, 0});
  const GpuRanges ranges = work.Project();
  EXPECT_EQ(ranges.ranges.size(), 2 * kInEach + kKept);
  EXPECT_EQ(ranges.left_out, 2 * kInEach - kKept);
}

// CUPTI hands over one thread's buffer after the other.
TEST(ProjectRanges, OperationsComeInAnyOrder) {
  Projected work;
  for (const uint32_t i : {3u, 1u, 4u, 2u, 5u}) {
    work.Launch(i, 1000 + 10 * i);
    work.Op(i, 5000 + 100 * i, 5050 + 100 * i, 7);
  }
  work.log.ranges.push_back({1015, 1045, 0, 0});
  const GpuRanges ranges = work.Project();
  ASSERT_EQ(ranges.ranges.size(), 1u);
  EXPECT_EQ(ranges.ranges[0].end - ranges.ranges[0].begin, 250u);
}

}  // namespace
}  // namespace syncline::gpu_ranges_test
