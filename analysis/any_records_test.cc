// SPDX-License-Identifier: Apache-2.0
// Records as a damaged or hostile spool may hold them: the analysis answers something sane.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "analysis/idle.h"
#include "analysis/testing.h"
#include "analysis/waits.h"

namespace syncline {
namespace {

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
      }
      if (wait.wait_class == WaitClass::kQuerySpin) continue;
      EXPECT_LE(wait.begin_ns, wait.end_ns);
      bool inside = false;
      for (const GpuCall& call : records.calls) {
        inside |= call.correlation == wait.correlation && call.begin_ns <= wait.begin_ns &&
                  wait.end_ns <= call.end_ns;
      }
      EXPECT_TRUE(inside);
    }
    std::map<uint32_t, uint64_t> last_end;
    for (const Gap& gap : FindGaps(records, waits, 20)) {
      EXPECT_LE(gap.begin_ns + 20, gap.end_ns);
      EXPECT_LE(last_end[gap.device], gap.begin_ns);
      last_end[gap.device] = gap.end_ns;
      EXPECT_EQ(gap.wait != kNoWait, gap.cause == GapCause::kHostWaited);
    }
  }
  EXPECT_GT(waits_seen, 3000u);
}

}  // namespace
}  // namespace syncline
