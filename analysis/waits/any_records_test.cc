// SPDX-License-Identifier: Apache-2.0
// Records as a damaged or hostile spool may hold them: the analysis answers something sane.
#include <gtest/gtest.h>

#include <ctime>
#include <map>
#include <random>

#include "analysis/sums/device_use.h"
#include "analysis/sums/launch_starvation.h"
#include "analysis/sums/work_curves.h"
#include "analysis/waits/idle.h"
#include "analysis/waits/testing.h"
#include "analysis/waits/waits.h"

namespace syncline {
namespace {

using testing::FindGaps;
using testing::FindWaits;
constexpr const char* kNames[] = {"cudaDeviceSynchronize",
                                  "cudaStreamSynchronize",
                                  "cudaEventSynchronize",
                                  "cudaStreamQuery",
                                  "cudaEventQuery",
                                  "cudaMemcpy",
                                  "cudaMemcpyAsync",
                                  "cudaMemset",
                                  "cudaFree",
                                  "cudaMalloc",
                                  "cudaLaunchKernel",
                                  "cudaGraphLaunch",
                                  "cudaLaunchHostFunc",
                                  "cudaGraphInstantiateWithParams",
                                  "cudaDeviceReset",
                                  "cudaEventRecord",
                                  "cudaFreeHost",
                                  "_v2"};

class Chance {
 public:
  explicit Chance(uint32_t seed) : engine_(seed) {}
  uint32_t Below(uint32_t end) {
    return std::uniform_int_distribution<uint32_t>(0, end - 1)(engine_);
  }
  // Mostly near the others, some anywhere.
  uint64_t Time() {
    return Below(20) == 0 ? uint64_t{Below(UINT32_MAX)} << Below(33) : Below(3000);
  }

 private:
  std::mt19937 engine_;
};

GpuRecords AnyRecords(uint32_t seed) {
  Chance chance(seed);
  GpuRecords records;
  records.clock_error_ns = chance.Below(3);
  records.end_ns = chance.Time();
  records.launch_blocking = static_cast<LaunchBlocking>(chance.Below(3));
  for (uint32_t i = chance.Below(3); i > 0; --i)
    records.unseen.push_back({chance.Time(), chance.Time()});
  for (uint32_t i = chance.Below(60); i > 0; --i) {
    const uint16_t name = records.CallName(kNames[chance.Below(std::size(kNames))]);
    records.calls.push_back({chance.Time(), chance.Time(), chance.Below(50), chance.Below(3), name,
                             static_cast<uint16_t>(chance.Below(3) == 0 ? 600 : 0),
                             chance.Below(4) == 0});
    records.ops.push_back({chance.Time(), chance.Time(), chance.Below(1 << 18), chance.Below(50),
                           chance.Below(3), 5 + chance.Below(4), chance.Below(4),
                           static_cast<uint16_t>(chance.Below(4) == 0 ? 65535 : chance.Below(3)),
                           static_cast<DeviceOpType>(chance.Below(7)),
                           static_cast<MemoryKind>(chance.Below(7)),
                           static_cast<MemoryKind>(chance.Below(7))});
    records.syncs.push_back({chance.Time(), chance.Below(50), chance.Below(3),
                             chance.Below(2) == 0 ? kNoId : 5 + chance.Below(4),
                             chance.Below(2) == 0 ? kNoId : chance.Below(3),
                             static_cast<GpuSyncKind>(chance.Below(4))});
    records.events.push_back(
        {chance.Below(50), chance.Below(3), 5 + chance.Below(4), chance.Below(3)});
    records.host_functions.push_back({chance.Below(50), chance.Below(3), 5 + chance.Below(4)});
    records.overheads.push_back({chance.Time(), chance.Time(), chance.Below(50),
                                 static_cast<GpuOverheadKind>(chance.Below(2))});
    records.memory.push_back({chance.Below(50), chance.Below(5) == 0 ? kNoId : chance.Below(3)});
  }
  return records;
}

TEST(AnyRecords, WaitsLieInTheirCallsAndGapsDoNotOverlap) {
  size_t waits_seen = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    GpuRecords records = AnyRecords(seed);
    const std::vector<Wait> waits = FindWaits(records);
    waits_seen += waits.size();
    for (const Wait& wait : waits) {
      if (wait.op != kNoOp) {
        ASSERT_LT(wait.op, records.ops.size());
        EXPECT_EQ(wait.waited_for, records.ops[wait.op].correlation);
        EXPECT_FALSE(wait.lost);
      }
      if (wait.wait_class == WaitClass::kQuerySpin) continue;
      EXPECT_LE(wait.begin_ns, wait.end_ns);
      bool inside = false;
      for (const SourceCall& call : records.calls) {
        inside |= call.correlation == wait.correlation && call.begin_ns <= wait.begin_ns &&
                  wait.end_ns <= call.end_ns;
      }
      EXPECT_TRUE(inside);
    }
    std::map<uint32_t, uint64_t> last_end;
    for (const Gap& gap : FindGaps(records, waits, 20)) {
      EXPECT_LE(gap.begin_ns + 20, gap.end_ns);
      EXPECT_FALSE(MeetsCoverageGap(records.unseen, gap.begin_ns, gap.end_ns));
      EXPECT_LE(last_end[gap.device], gap.begin_ns);
      last_end[gap.device] = gap.end_ns;
      uint64_t parts = 0;
      for (const uint64_t part : gap.parts_ns) parts += part;
      EXPECT_EQ(parts, gap.end_ns - gap.begin_ns);
      EXPECT_TRUE(gap.cause != GapCause::kHostWaited || gap.wait != kNoWait);
      EXPECT_TRUE(gap.cause != GapCause::kHostFunction || gap.function != kNoFunction);
      if (gap.host_until_ns != 0) {
        EXPECT_LE(gap.begin_ns, gap.host_from_ns);
        EXPECT_LE(gap.host_until_ns, gap.submitted_ns);
      }
    }
  }
  EXPECT_GT(waits_seen, 3000u);
}

uint64_t IdleNs(const std::vector<DeviceUse>& devices) {
  uint64_t idle = 0;
  for (const DeviceUse& use : devices) idle += use.IdleNs();
  return idle;
}

TEST(AnyRecords, WhatThreadsGaveIsWhatDevicesGot) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    GpuRecords records = AnyRecords(seed);
    const std::vector<Wait> waits = FindWaits(records);
    std::vector<DeviceUse> devices = MeasureDeviceUse(records, {});
    MeasureLaunches(records, {}, &devices);
    WorkCurves curves({});
    curves.AddDevices(records, {});
    curves.AddLaunches(2, records, {}, {});
    curves.AddWaits(waits, {});
    curves.Finish();
    uint64_t busy = 0, launched = 0, calls = 0, idle = 0;
    for (const DeviceUse& use : devices) {
      busy += use.busy_ns;
      calls += use.launch_delay.count;
    }
    for (uint32_t tid = 0; tid < 4; ++tid) {
      const StageWork work = curves.Between(curves.ThreadOf(tid), 0, UINT64_MAX);
      EXPECT_EQ(work.busy_ns, busy);
      launched += work.launched;
    }
    EXPECT_LE(calls, launched);
    EXPECT_LE(launched, records.ops.size());
    for (const StarvedSums& starved : FindStarved(records, {})) idle += starved.idle_ns;
    EXPECT_LE(idle, IdleNs(devices));
  }
}

// As many calls, copies and overheads as are asked for; of one correlation, or each of its own.
GpuRecords ManyCalls(uint32_t count, bool together) {
  GpuRecords records;
  const uint16_t names[] = {records.CallName("cudaMemcpy"), records.CallName("cuMemcpyHtoD_v2")};
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t correlation = together ? 7 : 7 + i / 2;
    const uint64_t begin = 1000 + i * 10;
    records.calls.push_back({begin, begin + 15, correlation, 1, names[i % 2], 0, i % 2 == 1});
    GpuOp op;
    op.begin_ns = begin;
    op.end_ns = begin + 12;
    op.correlation = correlation;
    op.type = DeviceOpType::kCopy;
    op.from = MemoryKind::kDevice;
    op.to = MemoryKind::kPageable;
    records.ops.push_back(op);
    records.overheads.push_back({begin, begin + 1, correlation, GpuOverheadKind::kQueueFull});
  }
  return records;
}

TEST(AnyRecords, CallsOfOneCorrelationCostNoMoreThanOthers) {
  double seconds[2];
  for (const bool together : {false, true}) {
    GpuRecords records = ManyCalls(60'000, together);
    const std::clock_t before = std::clock();
    EXPECT_EQ(FindWaits(records).size(), 30'000u);
    seconds[together ? 1 : 0] = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  }
  EXPECT_LT(seconds[1], 20 * seconds[0] + 0.05);  // quadratic: far more than a hundred times
}

TEST(AnyRecords, OfCallsOfOneCorrelationEachHasItsOwnInnerOnes) {
  GpuRecords records;
  const uint16_t name = records.CallName("cudaDeviceSynchronize");
  GpuOp op;
  op.end_ns = 30;
  op.correlation = 1;
  records.ops.push_back(op);
  records.calls.push_back({10, 25, 2, 1, name, 0, false});
  records.calls.push_back({20, 24, 2, 1, name, 0, true});
  records.calls.push_back({26, 60, 2, 1, name, 0, false});
  records.calls.push_back({40, 50, 2, 1, name, 0, true});
  const std::vector<Wait> waits = FindWaits(records);
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_FALSE(waits[0].already_done);
  EXPECT_TRUE(waits[1].already_done);  // done at 30: after its entry, before that of the inner call
}

}  // namespace
}  // namespace syncline
