// SPDX-License-Identifier: Apache-2.0
// CUDA calls and GPU work in whole traces: names, keys, flows, rows.
#include "writers/chrome/source_events.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"
#include "offline/testing/trace_writing.h"
#include "writers/testing/trace_check.h"

namespace syncline::gpu_events_test {
namespace {

using Json = nlohmann::ordered_json;
using testing::kStartRealtime;
using testing::kStartTicks;
using testing::Nanoseconds;
using testing::PlausibleKernel;
using testing::PlausibleOp;
using testing::PlausibleProcess;
using testing::RecordBatch;
using testing::SpoolBuilder;
using testing::TraceCheck;

constexpr uint64_t kMs = 1000000;
// The device clock of these tests is 1 s ahead of the job's line.
constexpr uint64_t kDevice = kStartRealtime + 1000 * kMs;

enum Names : uint32_t {
  kLaunch = 1,
  kDriverLaunch,
  kCopyCall,
  kAdd,
  kPlain,
  kTwoWords,
  kOtherLaunch
};

class SourceEventsTest : public ::testing::Test {
 protected:
  SourceEventsTest() {
    job.rank = 0;
    job.output = scratch / "rank-0.trace.json";
    op.head.id = kAdd;
  }

  // What every process with a GPU records.
  static RecordBatch Main(uint32_t tid = 4210) {
    RecordBatch batch;
    batch.Stream(1, tid, true)
        .Name(kLaunch, "cudaLaunchKernel", 211)
        .Name(kDriverLaunch, "cuLaunchKernel", 211);
    batch.Name(kCopyCall, "cudaMemcpyAsync").Name(kAdd, "_Z3addPfi").Name(kPlain, "f");
    batch.Name(kTwoWords, "_Z this is no \"mangled\" name");
    batch.Name(kOtherLaunch, "cudaLaunchKernel", 212);
    return batch.Device(0, testing::PlausibleDevice(), "Model")
        .DeviceClock(kStartTicks, kDevice + 20, kStartTicks + 40);
  }

  static CallRecord Call(uint32_t name, uint32_t correlation, uint64_t begin, uint64_t end,
                         uint8_t flags = 0) {
    const CallRole role = name == kCopyCall ? CallRole::kCopy : CallRole::kLaunch;
    CallRecord call = testing::PlausibleCall(role, name, kStartTicks + begin, kStartTicks + end,
                                             correlation, 0, flags);
    if (name == kCopyCall) call.role |= kCallIsAsync;
    return call;
  }

  void Add(const RecordBatch& batch, int32_t pid = 4210) {
    SpoolBuilder spool;
    spool.Process(PlausibleProcess(pid)).Records(0, batch).End(kStartTicks + 100 * kMs, true, 0);
    const std::string name = "s" + std::to_string(job.processes.size()) + ".spool";
    job.processes.emplace_back().spool = spool.Save(scratch / name);
  }

  TraceCheck Write() {
    result = WriteRankTrace(job);
    EXPECT_TRUE(result.status.ok()) << result.status.message();
    TraceCheck check = testing::CheckTrace(testing::ReadTrace(job.output));
    EXPECT_TRUE(check.faults.empty()) << check.Faults();
    return check;
  }

  static Json Only(const TraceCheck& check, const std::string& ph, const std::string& name) {
    const auto found = check.Events(ph, name);
    EXPECT_EQ(found.size(), 1u) << name;
    return found.empty() ? Json::object() : found[0];
  }

  testing::Scratch scratch;
  TraceJob job;
  RankResult result;
  KernelDetails kernel = PlausibleKernel();
  DeviceOpRecord op = PlausibleOp(DeviceOpType::kKernel, 7, 5, kDevice + 2000, kDevice + 3500);
};

TEST_F(SourceEventsTest, AKernelAndTheCallThatLaunchedIt) {
  kernel.queued = 17;
  kernel.graph_node = 3;
  op.graph = 4;
  Add(Main().Call(Call(kLaunch, 5, 1000, 1500)).DeviceOp(op, &kernel));
  const TraceCheck check = Write();
  const Json call = Only(check, "X", "cudaLaunchKernel");
  EXPECT_EQ(call["cat"], "cuda_runtime");
  EXPECT_EQ(call["pid"], 4210);
  EXPECT_EQ(call["args"].dump(), "{\"cbid\":211,\"correlation\":65541}");
  const Json add = Only(check, "X", "add(float*, int)");
  EXPECT_EQ(add["cat"], "kernel");
  EXPECT_EQ(add["pid"], 0);
  EXPECT_EQ(add["tid"], 7);
  EXPECT_DOUBLE_EQ(add["ts"].get<double>() - call["ts"].get<double>(), 1.0);
  EXPECT_EQ(Nanoseconds(add["dur"]), 1500);
  EXPECT_EQ(add["args"].dump(),
            "{\"queued\":17,\"device\":0,\"context\":1,\"stream\":7,\"correlation\":65541,"
            "\"registers per thread\":40,\"shared memory\":1536,"
            "\"blocks per SM\":0.06060606060606061,\"warps per SM\":0.24242424242424243,"
            "\"grid\":[4,2,1],\"block\":[128,1,1],\"graph node id\":3,\"graph id\":4}");
  const Json from = Only(check, "s", "ac2g");
  const Json to = Only(check, "f", "ac2g");
  EXPECT_EQ(from["id"], to["id"]);
  EXPECT_EQ(from["ts"], call["ts"]);
  EXPECT_EQ(to["ts"], add["ts"]);
  EXPECT_EQ(to["pid"], 0);
  EXPECT_EQ(check.trace["deviceProperties"][0]["name"], "Model");
  EXPECT_EQ(check.trace["deviceProperties"][0]["numSms"], 132);
  EXPECT_EQ(result.manifest.calls, 1u);
  EXPECT_EQ(result.manifest.device_ops, 1u);
}

TEST_F(SourceEventsTest, OnlyMangledNamesAreDemangled) {
  uint64_t at = 2000;
  RecordBatch batch = Main();
  for (const uint32_t name : {uint32_t{kPlain}, uint32_t{kTwoWords}, 99u}) {
    op.head.id = name;
    op.begin = kDevice + at;
    op.end = op.begin + 100;
    at += 1000;
    batch.DeviceOp(op, &kernel);
  }
  Add(batch);
  const TraceCheck check = Write();
  Only(check, "X", "f");  // which would be `float` if it were a type
  Only(check, "X", "_Z this is no \"mangled\" name");
  Only(check, "X", "(name lost)");
}

TEST_F(SourceEventsTest, CopiesAndMemsetsHaveKinetosNames) {
  struct {
    DeviceOpType type;
    MemoryKind from, to;
    const char* name;
    const char* category;
  } const cases[] = {{DeviceOpType::kCopy, MemoryKind::kPageable, MemoryKind::kDevice,
                      "Memcpy HtoD (Pageable -> Device)", "gpu_memcpy"},
                     {DeviceOpType::kCopy, MemoryKind::kDevice, MemoryKind::kPinned,
                      "Memcpy DtoH (Device -> Pinned)", "gpu_memcpy"},
                     {DeviceOpType::kCopy, MemoryKind::kManaged, MemoryKind::kArray,
                      "Memcpy DtoD (Managed -> Array)", "gpu_memcpy"},
                     {DeviceOpType::kPeerCopy, MemoryKind::kDevice, MemoryKind::kDevice,
                      "Memcpy PtoP (Device -> Device)", "gpu_memcpy"},
                     {DeviceOpType::kCopy, static_cast<MemoryKind>(77), MemoryKind::kPinned,
                      "Memcpy HtoH (Unknown -> Pinned)", "gpu_memcpy"},
                     {DeviceOpType::kSet, MemoryKind::kUnknown, MemoryKind::kDevice,
                      "Memset (Device)", "gpu_memset"}};
  RecordBatch batch = Main();
  uint64_t at = kDevice;
  for (const auto& test : cases) {
    at += 1000;
    DeviceOpRecord record = PlausibleOp(test.type, 7, 0, at, at + 500);
    record.from = test.from;
    record.to = test.to;
    record.bytes = 4000;
    record.source_device = 2;
    record.target_device = 3;
    batch.DeviceOp(record);
  }
  DeviceOpRecord none = PlausibleOp(DeviceOpType::kSet, 8, 0, at, at);
  none.to = MemoryKind::kPinned;
  none.bytes = 1;
  Add(batch.DeviceOp(none));
  const TraceCheck check = Write();
  for (const auto& test : cases) {
    const Json event = Only(check, "X", test.name);
    EXPECT_EQ(event["cat"], test.category);
    EXPECT_EQ(event["args"]["bytes"], 4000);
    EXPECT_EQ(event["args"]["memory bandwidth (GB/s)"], 8.0);
    EXPECT_EQ(event["args"].contains("fromDevice"), test.type == DeviceOpType::kPeerCopy);
  }
  EXPECT_EQ(Only(check, "X", "Memcpy PtoP (Device -> Device)")["args"]["toDevice"], 3);
  EXPECT_EQ(Only(check, "X", "Memset (Pinned)")["args"]["memory bandwidth (GB/s)"], 0);
}

TEST_F(SourceEventsTest, FlowsOnlyWhereBothEndsAreThere) {
  DeviceOpRecord alone = op;
  alone.correlation = 8;
  alone.stream = 8;
  DeviceOpRecord unknown = op;
  unknown.correlation = 0;
  unknown.stream = 9;
  Add(Main()
          .Call(Call(kLaunch, 5, 1000, 1500))
          .Call(Call(kCopyCall, 6, 1600, 1700))  // whose work CUPTI never told
          .Call(Call(kCopyCall, 0, 1800, 1900))
          .DeviceOp(op, &kernel)
          .DeviceOp(alone, &kernel)
          .DeviceOp(unknown, &kernel));
  const TraceCheck check = Write();
  EXPECT_EQ(check.Events("s").size(), 1u);
  EXPECT_EQ(check.Events("f").size(), 1u);
  EXPECT_EQ(check.Events("X", "cudaMemcpyAsync").size(), 2u);
}

TEST_F(SourceEventsTest, InnerCallsHaveNoCorrelation) {
  CallRecord inner = Call(kDriverLaunch, 5, 1100, 1400, kDriverCall | kInnerCall);
  inner.result = 700;
  Add(Main().Call(inner).Call(Call(kLaunch, 5, 1000, 1500)).DeviceOp(op, &kernel));
  const TraceCheck check = Write();
  const Json driver = Only(check, "X", "cuLaunchKernel");
  EXPECT_EQ(driver["cat"], "cuda_driver");
  EXPECT_EQ(driver["args"].dump(), "{\"cbid\":211,\"error\":700}");
  EXPECT_EQ(Only(check, "s", "ac2g")["ts"], Only(check, "X", "cudaLaunchKernel")["ts"]);
  EXPECT_EQ(result.manifest.calls, 2u);
}

// Perfetto multiplies by 1000 as doubles and cuts.
void ExpectNoOverlapWhenCut(const std::vector<Json>& kernels) {
  std::vector<std::pair<int64_t, int64_t>> cut;
  for (const Json& event : kernels) {
    const auto begin = static_cast<int64_t>(event["ts"].get<double>() * 1000.0);
    cut.emplace_back(begin, begin + static_cast<int64_t>(event["dur"].get<double>() * 1000.0));
  }
  std::sort(cut.begin(), cut.end());
  for (size_t i = 1; i < cut.size(); ++i) EXPECT_LE(cut[i - 1].second, cut[i].first) << i;
}

TEST_F(SourceEventsTest, OpsThatTouchDoNotOverlapForReadersThatCut) {
  // A little above a power of two, where a product with 1000 is off most.
  job.base = BaseTime{kStartRealtime - (uint64_t{1} << 36) * 1000, BaseFrom::kInherited};
  for (const bool backwards : {false, true}) {
    RecordBatch batch = Main();
    for (uint64_t i = 0; i < 500; ++i) {
      const uint64_t at = (backwards ? 499 - i : i) * 337;
      op.begin = kDevice + 2000 + at;
      op.end = op.begin + 337;
      batch.DeviceOp(op, &kernel);
    }
    job.processes.clear();
    Add(batch);
    const TraceCheck check = Write();
    const auto kernels = check.Events("X", "add(float*, int)");
    ASSERT_EQ(kernels.size(), backwards ? 64u + 436u : 500u);
    for (const Json& event : kernels) EXPECT_GE(event["dur"].get<double>(), 0.335);
    if (!backwards) ExpectNoOverlapWhenCut(kernels);
    std::vector<Json> first_lane;
    for (const Json& event : kernels) {
      if (event["tid"] == 7) first_lane.push_back(event);
    }
    EXPECT_GE(first_lane.size(), 64u);
    ExpectNoOverlapWhenCut(first_lane);
  }
}

TEST_F(SourceEventsTest, WhatOverlapsStandsOnLanes) {
  DeviceOpRecord second = op;
  second.begin += 500;
  second.end += 500;
  Add(Main().DeviceOp(op, &kernel).DeviceOp(second, &kernel));
  const TraceCheck check = Write();
  const auto kernels = check.Events("X", "add(float*, int)");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0]["tid"], 7);
  EXPECT_EQ(kernels[1]["tid"], 1000007);
  EXPECT_EQ(kernels[1]["args"]["stream"], 7);
}

TEST_F(SourceEventsTest, WholeMicroseconds) {
  job.unit = TimeUnit::kUs;
  op.begin = kDevice + 1999;
  op.end = kDevice + 2001;
  DeviceOpRecord next = op;
  next.begin = op.end;
  next.end = op.end + 998;
  Add(Main().Call(Call(kLaunch, 5, 999, 1001)).DeviceOp(op, &kernel).DeviceOp(next, &kernel));
  const TraceCheck check = Write();
  EXPECT_EQ(Only(check, "X", "cudaLaunchKernel")["dur"].dump(), "1");
  const auto kernels = check.Events("X", "add(float*, int)");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0]["dur"].dump(), "1");
  EXPECT_EQ(kernels[1]["dur"].dump(), "0");
  EXPECT_EQ(check.Events("f").size(), 2u);
}

TEST_F(SourceEventsTest, TwoProcessesOfOneRankShareAGpu) {
  for (const int32_t pid : {4210, 5000}) {
    Add(Main(static_cast<uint32_t>(pid)).Call(Call(kLaunch, 5, 1000, 1500)).DeviceOp(op, &kernel),
        pid);
  }
  const TraceCheck check = Write();
  const auto kernels = check.Events("X", "add(float*, int)");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0]["tid"], 7);
  EXPECT_EQ(kernels[1]["tid"], 1000007);
  EXPECT_NE(kernels[0]["args"]["correlation"], kernels[1]["args"]["correlation"]);
  const auto calls = check.Events("X", "cudaLaunchKernel");
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[1]["args"]["correlation"], kernels[1]["args"]["correlation"]);
  EXPECT_EQ(check.Events("s").size(), 2u);  // whose ids differ, says the check
  EXPECT_EQ(check.Events("M", "process_name").size(), 3u);
}

TEST_F(SourceEventsTest, WithoutAClockReadingOpsAreCountedAsDamaged) {
  RecordBatch batch = RecordBatch().Stream(1, 4210, true).Name(kAdd, "_Z3addPfi");
  Add(batch.DeviceOp(op, &kernel));
  const TraceCheck check = Write();
  EXPECT_TRUE(check.Events("X", "add(float*, int)").empty());
  EXPECT_EQ(result.manifest.device_ops, 0u);
  EXPECT_EQ(result.manifest.losses.at("damaged"), 1u);
}

TEST_F(SourceEventsTest, TimesFarOutsideTheProcessAreDamaged) {
  RecordBatch batch = Main();
  for (const uint64_t at : {uint64_t{0}, uint64_t{1}, kDevice - 3600000 * kMs,
                            kDevice + 3600000 * kMs, UINT64_MAX - 5}) {
    op.begin = at;
    op.end = at + 5;
    batch.DeviceOp(op, &kernel);
  }
  op.begin = 0;
  op.end = UINT64_MAX;
  Add(batch.DeviceOp(op, &kernel)
          .DeviceOp(PlausibleOp(DeviceOpType::kGraph, 9, 1, kDevice + 1, kDevice + 2)));
  const TraceCheck check = Write();
  EXPECT_EQ(result.manifest.device_ops, 1u);
  EXPECT_EQ(result.manifest.losses.at("damaged"), 6u);
  EXPECT_EQ(Only(check, "X", "graph 0")["tid"], 9);
}

// As of a process whose launcher died: its second segment holds what began before it.
TEST_F(SourceEventsTest, AKernelThatBeganBeforeItsSegmentIsShown) {
  op.begin = kDevice - 60000 * kMs;
  Add(Main().DeviceOp(op, &kernel));
  const TraceCheck check = Write();
  EXPECT_EQ(Nanoseconds(Only(check, "X", "add(float*, int)")["dur"]), 60000003500);
  op.begin = kDevice - 8 * 86400000 * kMs;
  job.processes.clear();
  Add(Main().DeviceOp(op, &kernel));
  EXPECT_TRUE(Write().Events("X", "add(float*, int)").empty());
}

// Correlations that no program has cost nothing, and are not joined.
TEST_F(SourceEventsTest, TheLargestCorrelationHasAFlowToo) {
  op.correlation = UINT32_MAX;
  Add(Main().Call(Call(kLaunch, UINT32_MAX, 1000, 1500)).DeviceOp(op, &kernel));
  const TraceCheck check = Write();
  EXPECT_EQ(check.Events("s").size(), 1u);
  EXPECT_EQ(Only(check, "X", "add(float*, int)")["args"]["correlation"],
            65536 + uint64_t{UINT32_MAX});
}

// Beside operations; a device's memory is counted, whatever is claimed of it.
TEST_F(SourceEventsTest, WhatIsToldBesideOperations) {
  RecordBatch batch = Main();
  batch.DeviceOp(op, &kernel);
  DeviceEventRecord note{};
  note.begin = kDevice + 4000;
  note.end = kDevice + 5000;
  note.context = 1;
  note.stream = 7;
  note.type = DeviceEventType::kSync;
  note.detail = static_cast<uint8_t>(DeviceSyncKind::kStream);
  batch.DeviceEvent(note);
  note.stream = UINT32_MAX;
  batch.DeviceEvent(note);
  note.end = note.begin - 1;
  batch.DeviceEvent(note);  // damaged
  note.end = note.begin;
  note.type = DeviceEventType::kOverhead;
  note.detail = static_cast<uint8_t>(DeviceOverheadKind::kBufferFlush);
  batch.DeviceEvent(note);
  note.type = DeviceEventType::kAllocation;
  note.memory = MemoryKind::kDevice;
  for (const uint64_t bytes :
       {uint64_t{4096}, uint64_t{1} << 40, uint64_t{INT64_MAX}, UINT64_MAX}) {
    note.bytes = bytes;
    note.detail = 1;
    batch.DeviceEvent(note);
  }
  Add(batch);
  const TraceCheck check = Write();
  EXPECT_EQ(check.Events("X", "Stream Sync").size(), 2u);
  EXPECT_EQ(check.Events("X", "Stream Sync")[0]["args"]["stream"], 7);
  EXPECT_EQ(check.Events("X", "Buffer Flush").size(), 1u);
  const auto memory = check.Events("C");
  ASSERT_EQ(memory.size(), 2u);
  EXPECT_EQ(memory[1]["args"]["bytes"], 4096 + (uint64_t{1} << 40));
  EXPECT_EQ(result.manifest.losses.at("damaged"), 1u);
}

TEST_F(SourceEventsTest, ALongRun) {
  job.processes.emplace_back().spool = scratch / "long.spool";
  testing::WriteRealisticSpool(job.processes[0].spool, 20000, 2, false, false, true);
  const TraceCheck check = Write();
  EXPECT_EQ(check.Events("X", "kernel(float*, int)").size(), 1250u);
  EXPECT_EQ(check.Events("s").size(), 1250u);
  EXPECT_EQ(check.Events("f").size(), 1250u);
}

// Calls gave the GPU work of which no record came: three, one of which was counted when its record
// came without times.
TEST_F(SourceEventsTest, WhatWasNotDeliveredIsCountedOfWhoDidNotExit) {
  for (const uint32_t exit_state : {0u, 1u}) {
    RecordBatch batch = Main();
    for (uint32_t id = 5; id < 9; ++id) batch.Call(Call(kLaunch, id, 1000, 1500, kGaveWork));
    batch.Call(Call(kLaunch, 9, 2000, 2500)).Call(Call(kDriverLaunch, 10, 3000, 3500, kInnerCall));
    op.correlation = 6;
    op.begin = kDevice + 2000;
    op.end = kDevice + 3500;
    SpoolCounters counters{};
    counters.exit_state = exit_state;
    counters.exit_ticks = kStartTicks + kMs;
    counters.losses[kLoss_gpu_unfinished] = 1;
    SpoolBuilder spool;
    spool.Process(PlausibleProcess()).Records(0, batch.DeviceOp(op)).Counters(counters);
    job.processes = {};
    job.processes.emplace_back().spool =
        spool.End(kStartTicks + kMs, true, 9).Save(scratch / "s.spool");
    const Json losses = Write().trace["metadata"]["losses"];
    EXPECT_EQ(losses["gpu_unfinished"], 1);
    EXPECT_EQ(losses.value("gpu_undelivered", 0), exit_state == 0 ? 2 : 0);
  }
}

// The text that they share is kept; what differs must not come from another.
TEST_F(SourceEventsTest, KernelsAndCallsOfOneNameKeepWhatIsTheirOwn) {
  RecordBatch batch = Main();
  for (uint32_t i = 0; i < 12; ++i) {
    CallRecord call = Call(kLaunch, 5 + i, 1000 + 10000 * i, 1500 + 10000 * i);
    call.result = i % 6 == 5 ? 700 : 0;
    call.head.id = i % 2 == 0 ? kLaunch : kOtherLaunch;
    DeviceOpRecord mine = PlausibleOp(DeviceOpType::kKernel, 7 + i % 3, 5 + i,
                                      kDevice + 2000 + 10000 * i, kDevice + 3500 + 10000 * i);
    mine.head.id = kAdd;
    mine.graph = i % 5;
    kernel = PlausibleKernel();
    kernel.grid[0] = 1 + i % 2;
    kernel.queued = i % 4 == 3 ? 99 : 0;
    batch.Call(call).DeviceOp(mine, &kernel);
  }
  Add(batch);
  const TraceCheck check = Write();
  const auto calls = check.Events("X", "cudaLaunchKernel");
  const auto kernels = check.Events("X", "add(float*, int)");
  ASSERT_EQ(calls.size(), 12u);
  ASSERT_EQ(kernels.size(), 12u);
  for (uint32_t i = 0; i < 12; ++i) {
    const Json &call = calls[i]["args"], &args = kernels[i]["args"];
    EXPECT_EQ(call["cbid"], 211 + i % 2);
    EXPECT_EQ(call["correlation"], 65541 + i);
    EXPECT_EQ(call.value("error", 0), i % 6 == 5 ? 700 : 0);
    EXPECT_EQ(args["correlation"], 65541 + i);
    EXPECT_EQ(args["stream"], 7 + i % 3);
    EXPECT_EQ(kernels[i]["tid"], 7 + i % 3);
    EXPECT_EQ(args["grid"][0], 1 + i % 2);
    EXPECT_EQ(args["queued"], i % 4 == 3 ? 99 : 0);
    EXPECT_EQ(args.value("graph id", 0u), i % 5);
  }
}

}  // namespace
}  // namespace syncline::gpu_events_test
