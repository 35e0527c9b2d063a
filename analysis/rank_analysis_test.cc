// SPDX-License-Identifier: Apache-2.0
// From a spool to the waits and gaps of its trace.
#include "analysis/rank_analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "inject/core/domain_marks.h"
#include "inject/core/options.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"
#include "offline/testing/trace_writing.h"
#include "writers/chrome/text/finding_text.h"
#include "writers/testing/trace_check.h"

namespace syncline {
namespace {

using testing::kStartRealtime;
using testing::kStartTicks;
using testing::RecordBatch;

constexpr uint32_t kMs = 1000000;
enum Names : uint32_t { kLaunch = 1, kSync, kAdd, kStep, kClient };

CallRecord Call(uint32_t name, uint32_t correlation, uint64_t begin, uint64_t end) {
  const CallRole role = name == kSync ? CallRole::kSynchronizeQueue : CallRole::kLaunch;
  return testing::PlausibleCall(role, name, kStartTicks + begin, kStartTicks + end, correlation);
}

// Two launches of 1 ms each, 2 ms apart, the first awaited; the device's clock is the job's line.
RecordBatch Program() {
  RecordBatch batch;
  batch.Stream(1, 4210, true)
      .Name(kLaunch, "cudaLaunchKernel")
      .Name(kSync, "cudaStreamSynchronize");
  batch.Name(kAdd, "_Z3addPfi").Name(kStep, "step 1");
  batch.DeviceClock(kStartTicks, kStartRealtime, kStartTicks);
  DeviceOpRecord op = testing::PlausibleOp(DeviceOpType::kKernel, 13, 5, kStartRealtime + kMs,
                                           kStartRealtime + 2 * kMs);
  op.head.id = kAdd;
  const KernelDetails kernel = testing::PlausibleKernel();
  batch.DeviceOp(op, &kernel);
  op.begin += 3 * kMs;
  op.end += 3 * kMs;
  op.correlation = 7;
  batch.DeviceOp(op, &kernel);
  DeviceEventRecord sync{};
  sync.head.id = 0xffffffffu;
  sync.type = DeviceEventType::kSync;
  sync.detail = static_cast<uint8_t>(DeviceSyncKind::kStream);
  sync.begin = kStartRealtime + kMs + 1000;
  sync.end = kStartRealtime + 2 * kMs + 1000;
  sync.correlation = 6;
  sync.context = op.context;
  sync.stream = op.stream;
  batch.DeviceEvent(sync);
  batch.Call(Call(kLaunch, 5, kMs / 2, kMs / 2 + 5000));
  batch.Call(Call(kSync, 6, kMs, 2 * kMs + 2000));
  batch.Call(Call(kLaunch, 7, 4 * kMs - 20000, 4 * kMs - 10000));
  return batch.Range(kStep, kStartTicks, kStartTicks + 3 * kMs);
}

uint64_t ShortestGapNs() { return static_cast<uint64_t>(OptionNumber(OptionIndex("gpu.gap"))); }

// The spool's trace, analysed as the launcher does.
struct AnalysedJob {
  AnalysedJob(const testing::SpoolBuilder& spool, const testing::Scratch& scratch,
              uint64_t most_records = 1 << 14, uint64_t room = 1 << 20)
      : analysis(room, ShortestGapNs()) {
    job.rank = 0;
    job.output = scratch / "rank-0.trace.json";
    job.processes.emplace_back().spool = spool.Save(scratch / "s.spool");
    job.most_records = most_records;
    job.analysis = &analysis;
  }

  testing::TraceCheck Write() {
    RankResult result = WriteRankTrace(job);
    EXPECT_TRUE(result.status.ok()) << result.status.message();
    findings = std::move(result.findings);
    return testing::CheckTrace(testing::ReadTrace(job.output));
  }

  RankAnalysis analysis;
  TraceJob job;
  RunFindings findings;
};

TEST(RankAnalysisTest, WaitsAndGapsAreInTheTrace) {
  testing::Scratch scratch;
  testing::SpoolBuilder spool;
  spool.Process(testing::PlausibleProcess(4210)).Records(0, Program());
  spool.End(kStartTicks + 100 * kMs, true, 0);
  const testing::TraceCheck check = AnalysedJob(spool, scratch).Write();
  EXPECT_TRUE(check.faults.empty()) << check.Faults();
  const auto waits = check.Events("X", "cudaStreamSynchronize: add(float*, int)");
  ASSERT_EQ(waits.size(), 1u);
  const auto& args = waits[0]["args"];
  EXPECT_EQ(args["class"], "stream");
  EXPECT_EQ(args["already_done"], false);
  EXPECT_EQ(args["waited_for"], TraceCorrelation(0, 5));
  EXPECT_EQ(args["waited_for_name"], "add(float*, int)");
  EXPECT_EQ(args["ranges"], "step 1");
  EXPECT_NEAR(args["gpu_idle_after_us"].get<double>(), 1998, 5);
  // An arrow comes from the end of what was waited for.
  const auto from = check.Events("s", "sync"), to = check.Events("f", "sync");
  ASSERT_EQ(from.size(), 1u);
  ASSERT_EQ(to.size(), 1u);
  EXPECT_EQ(from[0]["id"], to[0]["id"]);
  const auto kernels = check.Events("X", "add(float*, int)");
  ASSERT_FALSE(kernels.empty());
  EXPECT_EQ(from[0]["tid"], kernels[0]["tid"]);
  const auto end = [](const auto& e) {
    return e["ts"].template get<double>() + e["dur"].template get<double>();
  };
  EXPECT_NEAR(from[0]["ts"].get<double>(), end(kernels[0]), 0.0045);
  EXPECT_EQ(to[0]["tid"], waits[0]["tid"]);
  EXPECT_NEAR(to[0]["ts"].get<double>(), end(waits[0]), 0.0045);
  const auto calls = check.Events("X", "cudaStreamSynchronize");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0]["args"]["class"], "stream");
  // 2 ms without a kernel, and the host waits until its begin.
  const auto gaps = check.Events("X", "host busy");
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_NEAR(gaps[0]["args"]["parts_us"]["host waited"].get<double>(), 2, 0.01);
  EXPECT_NEAR(gaps[0]["args"]["parts_us"]["launch latency"].get<double>(), 20, 0.01);
  EXPECT_EQ(check.Events("X", "nothing left").size(), 1u);
}

DeviceEventRecord Allocation(uint64_t at, uint64_t bytes) {
  DeviceEventRecord note{};
  note.head.id = 0xffffffffu;
  note.type = DeviceEventType::kAllocation;
  note.detail = 1;
  note.begin = note.end = kStartRealtime + at;
  note.bytes = bytes;
  note.memory = MemoryKind::kDevice;
  return note;
}

// Of a process that ends after 10 ms.
RunFindings FindingsOf(const RecordBatch& batch, const std::vector<OpenRange>& open = {}) {
  testing::Scratch scratch;
  testing::SpoolBuilder spool;
  spool.Process(testing::PlausibleProcess(4210)).Records(0, batch);
  spool.Open(0, 1, 4210, open).End(kStartTicks + 10 * kMs, true, 0);
  AnalysedJob job(spool, scratch);
  job.Write();
  EXPECT_TRUE(job.findings.ranks["rank-0"].missing.empty());
  return std::move(job.findings);
}

// "outer" (launches at 0.5 and 4 ms) has a range of the program's in it, and that has "inner",
// which waits from 1 to 2 ms; they are no stages.
TEST(RankAnalysisTest, OperatorsAreSummedApart) {
  constexpr uint32_t kOuter = 20, kInner = 21, kBetween = 22;
  constexpr uint16_t kOperators = 9;
  RecordBatch batch = Program();
  batch.Name(kOuter, "outer").Name(kInner, "inner").Name(kBetween, "between");
  batch.Text(RecordKind::kDomain, kOperators, 77, "aten", kDomainOfOperators,
             testing::kRangeSource);
  const auto range = [&](uint32_t name, uint64_t begin, uint64_t end, uint16_t domain,
                         uint16_t depth) {
    batch.Raw(RecordKind::kRange, name, kStartTicks + begin, kStartTicks + end, domain, 0, 0,
              nullptr, depth);
  };
  range(kInner, kMs - 1000, 3 * kMs, kOperators, 2);
  range(kBetween, kMs - 2000, 3 * kMs + 1000, 0, 1);
  range(kOuter, 0, 5 * kMs, kOperators, 0);
  range(kInner, 6 * kMs, 7 * kMs, kOperators, 0);
  const RunFindings findings = FindingsOf(batch);
  ASSERT_EQ(findings.operators.size(), 2u);
  const auto of = [&](const char* name) {
    for (const auto& [key, sums] : findings.operators) {
      if (key.name == name) return sums;
    }
    return OperatorSums();
  };
  const OperatorSums outer = of("outer"), inner = of("inner");
  EXPECT_EQ(outer.count, 1u);
  EXPECT_EQ(outer.all.host_ns, 5u * kMs);
  EXPECT_EQ(outer.own.host_ns, 3u * kMs - 1000);
  EXPECT_EQ(outer.all.launched, 2u);
  EXPECT_EQ(outer.own.device_ns, 2u * kMs);
  EXPECT_GT(outer.all.blocked_ns, 900'000u);
  EXPECT_EQ(outer.own.blocked_ns, 0u);
  EXPECT_EQ(inner.count, 2u);
  EXPECT_EQ(inner.own, inner.all);
  EXPECT_EQ(inner.all.host_ns, 3u * kMs + 1000);
  EXPECT_EQ(inner.all.blocked_ns, outer.all.blocked_ns);
  for (const auto& [key, sums] : findings.ranges) EXPECT_NE(key.name, "outer");
  EXPECT_TRUE(std::any_of(findings.ranges.begin(), findings.ranges.end(),
                          [](const auto& row) { return row.first.name == "between"; }));
}

// "Net" (launches at 0.5 and 4 ms) calls "Net.a", which waits from 1 to 2 ms; an operator that goes
// back through "Net.a" runs later, on the same thread.
TEST(RankAnalysisTest, ModulesAreSummedForwardAndBackward) {
  constexpr uint32_t kNet = 20, kA = 21, kLinear = 22, kForward = 23, kBackward = 24;
  constexpr uint16_t kModules = 9, kOperators = 10;
  RecordBatch batch = Program();
  batch.Name(kNet, "Net").Name(kA, "Net.a").Name(kLinear, "Linear").Name(kForward, "forward");
  batch.Name(kBackward, "backward");
  batch.Text(RecordKind::kDomain, kModules, 76, "modules", kDomainOfModules, testing::kRangeSource);
  batch.Text(RecordKind::kDomain, kOperators, 77, "aten", kDomainOfOperators,
             testing::kRangeSource);
  const auto range = [&](uint32_t name, uint64_t begin, uint64_t end, uint16_t domain,
                         PayloadType type, uint64_t payload, uint32_t thread) {
    RangeAttributes attributes{};
    attributes.payload_type = static_cast<uint32_t>(type);
    attributes.payload = payload;
    attributes.arguments = type == PayloadType::kModule ? kLinear : 0;
    attributes.forward_thread = thread;
    batch.Raw(RecordKind::kRange, name, kStartTicks + begin, kStartTicks + end, domain, 0,
              kHasAttributes, &attributes);
  };
  range(kForward, kMs, 2 * kMs, kOperators, PayloadType::kOperator, 5, 0);
  range(kA, kMs - 1000, 3 * kMs, kModules, PayloadType::kModule, 2, 1);
  range(kNet, 0, 3 * kMs + 1000, kModules, PayloadType::kModule, 1, 1);
  range(kBackward, 3 * kMs + 2000, 5 * kMs, kOperators, PayloadType::kOperator, 5, 1);
  RunFindings findings = FindingsOf(batch);
  ASSERT_EQ(findings.modules.size(), 2u);
  const ModuleSums& net = findings.modules.begin()->second;
  const ModuleSums& a = std::next(findings.modules.begin())->second;
  EXPECT_EQ(findings.modules.begin()->first.name, "Net");
  EXPECT_EQ(findings.modules.begin()->first.domain, "modules");
  EXPECT_EQ(a.of_class, "Linear");
  EXPECT_EQ(net.count, 1u);
  EXPECT_EQ(net.all.host_ns, 3u * kMs + 1000);
  EXPECT_EQ(net.own.host_ns, kMs);
  EXPECT_EQ(net.all.launched, 1u);
  EXPECT_EQ(net.own.launched, 1u);
  EXPECT_EQ(net.back, OperatorWork());
  EXPECT_EQ(a.count, 1u) << "one call, whatever went back through it";
  EXPECT_EQ(a.own, a.all);
  EXPECT_GT(a.all.blocked_ns, 900'000u);
  EXPECT_EQ(a.all.launched, 0u);
  EXPECT_EQ(a.back.launched, 1u);
  EXPECT_EQ(a.back.host_ns, 2u * kMs - 2000);
  EXPECT_EQ(a.back.device_ns + net.own.device_ns, 2u * kMs);
}

// Ranges and a call are open when the process ends after 10 ms. `wait_status`: -1: nobody knows it.
RankPart EndedWith(int wait_status, bool in_call) {
  testing::Scratch scratch;
  testing::SpoolBuilder spool;
  RecordBatch batch = Program();
  batch.Name(kClient, "epoch").Name(kClient + 1, "wait");
  OpenRange outer{}, inner{};
  outer.begin = kStartTicks + 5 * kMs;
  outer.name = kClient;
  inner.begin = kStartTicks + 6 * kMs;
  inner.name = kClient + 1;
  spool.Process(testing::PlausibleProcess(4210)).Records(0, batch);
  spool.Open(0, 1, 4210, std::vector{outer, inner});
  CallRecord call = Call(kSync, 9, 7 * kMs, 0);
  call.end = 0;
  if (in_call) spool.OpenCall(0, 1, 4210, call);
  spool.End(kStartTicks + 10 * kMs, wait_status >= 0, std::max(wait_status, 0));
  AnalysedJob job(spool, scratch);
  job.Write();
  return job.findings.ranks.at("rank-0");
}

TEST(RankAnalysisTest, AProcessThatEndedEarlyIsToldWithWhatWasOpen) {
  EXPECT_TRUE(EndedWith(0, true).endings.empty());
  const RankPart part = EndedWith(9, true);
  ASSERT_EQ(part.endings.size(), 1u);
  const ProcessEnding& killed = part.endings[0];
  EXPECT_EQ(killed.how, "killed by signal 9 (KILL)");
  EXPECT_EQ(killed.ranges, "epoch > wait");
  EXPECT_EQ(killed.call, "cudaStreamSynchronize");
  EXPECT_NEAR(static_cast<double>(killed.open_ns), 3 * kMs, 5);
  EXPECT_NEAR(static_cast<double>(killed.silent_ns), 3 * kMs, 5);
  EXPECT_TRUE(part.problems.empty()) << "told once";
  const ProcessEnding failed = EndedWith(3 << 8, false).endings.at(0);
  EXPECT_EQ(failed.how, "exited with status 3");
  EXPECT_EQ(failed.call, "");
  EXPECT_EQ(EndedWith(-1, false).endings.at(0).how, "ended without an exit");
  EXPECT_NEAR(static_cast<double>(failed.open_ns), 4 * kMs, 5);
}

void ExpectNear(uint64_t told, uint64_t truly, uint64_t slack) {
  EXPECT_LE(told > truly ? told - truly : truly - told, slack) << told << ", truly " << truly;
}

TEST(RankAnalysisTest, RangesOfEachKindHaveWhatWasDoneInThem) {
  RecordBatch batch = Program();
  batch.Name(kClient, "job").Name(kClient + 1, "open");
  batch.DeviceEvent(Allocation(kMs, 100)).DeviceEvent(Allocation(5 * kMs, 50));
  batch.Start(kClient, kStartTicks + kMs, 77).End(kStartTicks + 9 * kMs, 77);
  OpenRange open{};
  open.begin = kStartTicks + 4500000;
  open.name = kClient + 1;
  const RunFindings found = FindingsOf(batch, {open});
  ASSERT_EQ(found.stages.size(), 3u);
  const auto near = [&](const char* name, const StageWork& work) {
    SCOPED_TRACE(name);
    const StageWork& told =
        found.stages.at({"nvtx", "", name, found.ranges.begin()->first.program});
    ExpectNear(told.blocked_ns, work.blocked_ns, 5);
    EXPECT_EQ(told.launched, work.launched);
    ExpectNear(told.device_ns, work.device_ns, 5);
    ExpectNear(told.busy_ns, work.busy_ns, 5);
    ExpectNear(told.busy_of_ns, work.busy_of_ns, 2000);
    EXPECT_EQ(told.memory_peak, work.memory_peak);
  };
  near("step #", {kMs + 2000, 1, kMs, kMs, 3 * kMs, 100});
  near("job", {kMs + 2000, 1, kMs, 2 * kMs, 8 * kMs, 150});
  near("open", {0, 0, 0, kMs / 2, 5500000, 150});
}

// A program left its loop and its range open: how long that step took nobody knows.
TEST(RankAnalysisTest, AnOpenRangeIsNoStepWhereOthersEnded) {
  RecordBatch batch = Program();
  batch.Name(kClient, "step 2").Name(kClient + 1, "iteration 1");
  OpenRange step{}, other{};
  step.begin = other.begin = kStartTicks + 4500000;
  step.name = kClient;
  other.name = kClient + 1;
  const RunFindings found = FindingsOf(batch, {other, step});
  std::map<std::string, size_t> counts;
  for (const StepSeries& series : found.ranks.at("rank-0").steps)
    counts[series.name] = series.steps.size();
  EXPECT_EQ(counts, (std::map<std::string, size_t>{{"iteration #", 1}, {"step #", 1}}));
  EXPECT_EQ(found.ranges.at({"nvtx", "", "step #", found.ranges.begin()->first.program}).count, 2u)
      << "it is a range";
}

TEST(RankAnalysisTest, ADeviceIsFedByCalls) {
  const RunFindings found = FindingsOf(Program());
  const DeviceUse& use = found.ranks.at("rank-0").devices.at(0);
  EXPECT_EQ(use.launch_delay.count, 2u);
  ExpectNear(use.launch_delay.max_ns, kMs / 2, 5);
  ExpectNear(use.queued_ns, kMs / 2 + 20000, 5);
  ExpectNear(use.gaps_ns[static_cast<size_t>(GapCause::kHostWaited)], 2000, 5);
  ExpectNear(use.gaps_ns[static_cast<size_t>(GapCause::kHostBusy)], 2 * kMs - 22000, 5);
  ExpectNear(use.gaps_ns[static_cast<size_t>(GapCause::kLaunchLatency)], 20000, 5);
  ExpectNear(use.kernels_ns, 2 * kMs, 5);
  ASSERT_EQ(found.starved.size(), 1u);
  const auto& [kernel, starved] = *found.starved.begin();
  EXPECT_EQ(kernel.name, "add(float*, int)");
  EXPECT_EQ(starved.count, 1u);
  ExpectNear(starved.idle_ns, 2 * kMs, 5);
}

// A kernel; another client has CUPTI for 47 ms; a wait; a kernel; the other client again.
TEST(RankAnalysisTest, NothingIsSaidOfTheTimeThatAnotherClientHadCupti) {
  testing::Scratch scratch;
  testing::SpoolBuilder spool;
  RecordBatch batch;
  batch.Stream(1, 4210, true)
      .Name(kLaunch, "cudaLaunchKernel")
      .Name(kSync, "cudaDeviceSynchronize");
  batch.Name(kAdd, "_Z3addPfi").Name(kStep, "step 1").Name(kClient, "cuptiActivityEnable");
  batch.DeviceClock(kStartTicks, kStartRealtime, kStartTicks)
      .Coverage(kStartTicks, GpuCoverage::kAll, 0);
  DeviceOpRecord op = testing::PlausibleOp(DeviceOpType::kKernel, 13, 5, kStartRealtime + kMs,
                                           kStartRealtime + 2 * kMs);
  op.head.id = kAdd;
  const KernelDetails kernel = testing::PlausibleKernel();
  batch.DeviceOp(op, &kernel).Call(Call(kLaunch, 5, kMs / 2, kMs / 2 + 5000));
  batch.Coverage(kStartTicks + 3 * kMs, GpuCoverage::kLent, kClient);
  batch.Coverage(kStartTicks + 50 * kMs, GpuCoverage::kAll, 0);
  batch.Call(Call(kSync, 6, 51 * kMs, 60 * kMs));
  op.begin += 61 * kMs;
  op.end += 61 * kMs;
  op.correlation = 7;
  batch.DeviceOp(op, &kernel).Call(Call(kLaunch, 7, 61 * kMs, 61 * kMs + 10000));
  batch.Coverage(kStartTicks + 64 * kMs, GpuCoverage::kLent, kClient);
  spool.Process(testing::PlausibleProcess(4210)).Records(0, batch);
  spool.End(kStartTicks + 100 * kMs, true, 0);
  const testing::TraceCheck check = AnalysedJob(spool, scratch).Write();
  EXPECT_EQ(check.Events("X", "GPU recorded: left to another client").size(), 2u);
  for (const auto& event : check.trace["traceEvents"])
    EXPECT_NE(event.value("cat", ""), "gpu_idle") << event;
  const auto waits = check.Events("X", "cudaDeviceSynchronize: what it waited for is not known");
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_TRUE(waits[0]["args"]["already_done"].is_null());
  EXPECT_TRUE(waits[0]["args"]["waited_for"].is_null());
  EXPECT_FALSE(waits[0]["args"].contains("gpu_idle_after_us"));
}

// A wait of 9 ms after the kernel's end is for something of which the record was lost, if any was.
TEST(RankAnalysisTest, WhereDeviceRecordsWereLostALongWaitIsNotCalledNeedless) {
  for (const uint32_t loss : {kLoss_too_deep, kLoss_cupti_dropped, kLoss_gpu_undelivered}) {
    testing::Scratch scratch;
    testing::SpoolBuilder spool;
    RecordBatch batch = Program();
    batch.Call(Call(kSync, 8, 6 * kMs, 15 * kMs));
    SpoolCounters counters{};
    counters.losses[loss] = 1;
    spool.Process(testing::PlausibleProcess(4210)).Records(0, batch).Counters(counters);
    spool.End(kStartTicks + 100 * kMs, true, 0);
    const testing::TraceCheck check = AnalysedJob(spool, scratch).Write();
    const auto unknown =
        check.Events("X", "cudaStreamSynchronize: what it waited for is not known");
    EXPECT_EQ(unknown.size(), loss == kLoss_too_deep ? 0u : 1u);
  }
}

TEST(RankAnalysisTest, AWaitThatNeverEndedLastsUntilTheEnd) {
  testing::Scratch scratch;
  testing::SpoolBuilder spool;
  CallRecord hung = Call(kSync, 8, 5 * kMs, 0);
  hung.end = 0;
  spool.Process(testing::PlausibleProcess(4210)).Records(0, Program()).OpenCall(0, 1, 4210, hung);
  spool.End(kStartTicks + 100 * kMs, true, 9);
  const testing::TraceCheck check = AnalysedJob(spool, scratch).Write();
  const auto waits = check.Events("X", "cudaStreamSynchronize: did not return");
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0]["args"]["unfinished"], true);
  EXPECT_EQ(waits[0]["args"]["class"], "stream");
  EXPECT_TRUE(waits[0]["args"]["waited_for"].is_null());
  EXPECT_NEAR(waits[0]["dur"].get<double>(), 95'000, 1);
  const auto calls = check.Events("X", "cudaStreamSynchronize");
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[1]["args"]["reason"], "its process ended");
}

std::string MissingIn(const testing::TraceCheck& check) {
  return check.trace["metadata"]["processes"][0].value("missing", "");
}

// 3 calls and 2 operations; 3 findings: one wait, two gaps.
TEST(RankAnalysisTest, WhatTheMachineCannotHoldIsNotAnalysed) {
  constexpr uint64_t kEnough = 3 * 2048;
  testing::Scratch scratch;
  testing::SpoolBuilder spool;
  spool.Process(testing::PlausibleProcess(4210)).Records(0, Program());
  spool.End(kStartTicks + 100 * kMs, true, 0);
  testing::TraceCheck check = AnalysedJob(spool, scratch, 4, kEnough).Write();
  EXPECT_EQ(
      MissingIn(check),
      "ranges of GPUs, and waits and gaps: more than 4 calls and operations, which --memory-node "
      "and the memory that is free allow");
  EXPECT_TRUE(check.Events("X", "nothing left").empty());
  check = AnalysedJob(spool, scratch, 5, kEnough - 1).Write();
  EXPECT_EQ(MissingIn(check),
            "waits and gaps: 3, more than --memory-node and the memory that is free allow");
  EXPECT_TRUE(check.Events("X", "nothing left").empty());
  check = AnalysedJob(spool, scratch, 5, kEnough).Write();
  EXPECT_EQ(MissingIn(check), "");
  EXPECT_EQ(check.Events("X", "nothing left").size(), 1u);
}

// Then a wait a second, for so many seconds.
RecordBatch Waits(uint64_t seconds) {
  RecordBatch batch = Program();
  for (uint64_t i = 1; i <= seconds; ++i) {
    const uint64_t at = i * 1000 * kMs;
    const auto id = static_cast<uint32_t>(100 + 2 * i);
    DeviceOpRecord op =
        testing::PlausibleOp(DeviceOpType::kKernel, 13, id, kStartRealtime + at + 2 * kMs,
                             kStartRealtime + at + 9 * kMs);
    op.head.id = kAdd;
    const KernelDetails kernel = testing::PlausibleKernel();
    batch.Call(Call(kLaunch, id, at, at + kMs)).DeviceOp(op, &kernel);
    batch.Call(Call(kSync, id + 1, at + 3 * kMs, at + 9 * kMs + 2000));
  }
  return batch;
}

// The records of the first part are whole; of the rest nothing is said.
TEST(RankAnalysisTest, TheFirstPartIsAnalysedWhereThereIsNoRoomForAll) {
  testing::Scratch scratch;
  testing::SpoolBuilder spool;
  spool.Process(testing::PlausibleProcess(4210)).Records(0, Waits(12));
  spool.End(kStartTicks + 13'000 * kMs, true, 0);
  const auto count = [&](uint64_t room, std::string* missing) {
    const testing::TraceCheck check = AnalysedJob(spool, scratch, room, 1 << 20).Write();
    *missing = MissingIn(check);
    return check.Events("X", "cudaStreamSynchronize: add(float*, int)").size();
  };
  std::string missing;
  const size_t all = count(1000, &missing);
  EXPECT_EQ(missing, "");
  EXPECT_GE(all, 9u);
  const size_t first = count(32, &missing);
  EXPECT_TRUE(missing.starts_with("ranges of GPUs, and waits and gaps after the first "))
      << missing;
  EXPECT_GT(first, 2u);
  EXPECT_LT(first, all - 1) << "two seconds before the last that was kept";
}

// What one process may not keep leaves room for another.
TEST(RankAnalysisTest, TheProcessesOfARankShareTheRoom) {
  testing::Scratch scratch;
  testing::SpoolBuilder large, small;
  RecordBatch batch = Program();
  for (uint32_t i = 0; i < 200; ++i) batch.Call(Call(kLaunch, 20 + i, 5 * kMs, 5 * kMs + 10));
  large.Process(testing::PlausibleProcess(4209)).Records(0, batch);
  small.Process(testing::PlausibleProcess(4210)).Records(0, Program());
  small.End(kStartTicks + 100 * kMs, true, 0);
  AnalysedJob job(small, scratch, 100);
  job.job.processes.emplace(job.job.processes.begin())->spool = large.Save(scratch / "l.spool");
  const testing::TraceCheck check = job.Write();
  std::map<std::string, bool> missing;
  for (const auto& process : check.trace["metadata"]["processes"])
    missing[std::to_string(process["pid"].get<int>())] = process.contains("missing");
  EXPECT_TRUE(missing["4209"]);
  EXPECT_FALSE(missing["4210"]);
}

TEST(RankAnalysisTest, AUserWhoHasHadEnoughIsHeardBeforeTheAnalysis) {
  testing::Scratch scratch;
  testing::SpoolBuilder spool;
  spool.Process(testing::PlausibleProcess(4210)).Records(0, Program());
  AnalysedJob job(spool, scratch);
  bool enough = false;
  job.job.progress = [&enough](uint64_t done, uint64_t total) {
    enough = enough || done == total / 2;  // the first reading is over
    return !enough;
  };
  const RankResult result = WriteRankTrace(job.job);
  EXPECT_TRUE(result.cancelled);
  EXPECT_FALSE(result.status.ok());
  EXPECT_FALSE(std::filesystem::exists(job.job.output));
}

TEST(RankAnalysisTest, ASpoolThatCannotBeReadGivesNothing) {
  testing::Scratch scratch;
  testing::SpoolBuilder spool;
  spool.Process(testing::PlausibleProcess(4210)).Records(0, Program());
  AnalysedJob job(spool, scratch);
  job.job.processes.emplace_back().spool = "/nowhere/s.spool";
  const RankResult result = WriteRankTrace(job.job);
  EXPECT_TRUE(result.status.ok());
  EXPECT_EQ(result.unread, std::vector<std::string>{"/nowhere/s.spool"});
}

}  // namespace
}  // namespace syncline
