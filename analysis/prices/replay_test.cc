// SPDX-License-Identifier: Apache-2.0
// What a change would bring, of lives whose other version can be worked out by hand.
#include "analysis/prices/replay.h"

#include <gtest/gtest.h>

#include "analysis/waits/testing.h"

namespace syncline {
namespace {

using testing::FindGaps;
using testing::FindWaits;
using testing::kOtherStream;
using testing::kStream;
using testing::Process;

struct Life {
  explicit Life(Process* process, const std::vector<std::string>& communications = {})
      : waits(FindWaits(process->records)) {
    gaps = FindGaps(process->records, waits, 20'000);
    graph = MakeReplayGraph(process->records, communications, testing::Rules(), waits, gaps,
                            FindHostFunctions(process->records, testing::Rules(), waits));
  }

  // In µs, without those waits for which `of` says yes.
  template <typename Of>
  int64_t GainWithout(const Of& of) {
    Scenario scenario;
    for (const Wait& wait : waits) scenario.waits.push_back(of(wait));
    return Gain(&scenario);
  }
  int64_t GainOfWaits() {
    return GainWithout([](const Wait&) { return true; });
  }
  int64_t Gain(const Scenario* scenario) {
    Replay replay;
    int64_t gain = 0;
    for (const ReplayWindow& window : graph.windows) gain += replay.Run(window, scenario).gain_ns();
    return gain / 1000;
  }

  std::vector<Wait> waits;
  std::vector<Gap> gaps;
  ReplayGraph graph;
};

// Steps of 100 µs on the device, each waited for; the host needs 20 µs for the next launch.
void WaitsInALoop(Process* process, uint64_t steps) {
  for (uint64_t step = 0; step < steps; ++step) {
    const uint64_t at = 140 * step;
    process->Kernel(at, at + 10, at + 110);
    process->Call("cudaStreamSynchronize", at + 5, at + 115);
    process->Sync(GpuSyncKind::kStream, kStream);
  }
}

TEST(Replay, NothingChangedEndsAsRecorded) {
  Process process;
  WaitsInALoop(&process, 5);
  Life life(&process);
  EXPECT_EQ(life.Gain(nullptr), 0);
}

// Without waits the device is busy all the time: 10 steps of 100 µs after the first 10 µs. The host
// then ends when the device does.
TEST(Replay, WithoutWaitsTheDeviceIsTheLimit) {
  Process process;
  WaitsInALoop(&process, 10);
  Life life(&process);
  EXPECT_EQ(life.Gain(nullptr), 0);
  EXPECT_EQ(life.GainOfWaits(), (9 * 140 + 110) - (10 + 10 * 100));
}

// Kernels of 1 µs: the host is the limit, and each wait that is removed brings what it took.
TEST(Replay, WithoutWaitsTheHostIsTheLimit) {
  Process process;
  for (uint64_t at = 0; at < 500; at += 50) {
    process.Kernel(at, at + 10, at + 11);
    process.Call("cudaStreamSynchronize", at + 5, at + 15);
    process.Sync(GpuSyncKind::kStream, kStream);
  }
  Life life(&process);
  EXPECT_EQ(life.GainOfWaits(), 85);  // nine waits of 9.5 µs before the last launch
}

TEST(Replay, AWaitBehindWhichTheDeviceIsBusyBringsNothing) {
  Process process;
  process.Kernel(0, 10, 1010, kOtherStream);
  process.Kernel(5, 10, 110);
  process.Call("cudaStreamSynchronize", 10, 115);
  process.Sync(GpuSyncKind::kStream, kStream);
  process.Kernel(120, 1010, 1110, kOtherStream);
  process.Call("cudaDeviceSynchronize", 130, 1115);
  Life life(&process);
  EXPECT_EQ(life.Gain(nullptr), 0);
  EXPECT_EQ(
      life.GainWithout([](const Wait& wait) { return wait.wait_class == WaitClass::kStream; }), 0);
}

// The copy of what is read goes too, and the time of both calls.
// The host works for 480 µs before each of the reads, which take 20 µs.
TEST(Replay, ReadsAtTheEndDoNotTakeTheHostsWorkAlong) {
  Process process;
  process.Kernel(0, 10, 20);
  for (uint64_t read = 1; read <= 10; ++read) {
    process.Call("cudaMemcpyAsync", 500 * read, 500 * read + 20);
    process.Copy(500 * read + 5, 500 * read + 15, MemoryKind::kDevice, MemoryKind::kPageable, 4096);
    process.Call("cudaStreamSynchronize", 500 * read + 20, 500 * read + 20);
    process.Sync(GpuSyncKind::kStream, testing::kLegacyStream);
  }
  Life life(&process);
  EXPECT_LE(life.GainOfWaits(), 10 * 20);
  EXPECT_GE(life.GainOfWaits(), 9 * 15);
}

TEST(Replay, AReadBackGoesWithItsCopy) {
  Process process;
  for (uint64_t step = 0; step < 4; ++step) {
    const uint64_t at = 200 * step;
    process.Kernel(at, at + 10, at + 110);
    process.Call("cudaMemcpyAsync", at + 5, at + 9);
    process.Copy(at + 110, at + 120, MemoryKind::kDevice, MemoryKind::kPinned, 4, kStream);
    process.Call("cudaStreamSynchronize", at + 12, at + 125);
    process.Sync(GpuSyncKind::kStream, kStream);
  }
  Life life(&process);
  EXPECT_EQ(life.Gain(nullptr), 0);
  // The kernels alone: launched every 200 - (125 - 5) = 80 µs, they take 100.
  EXPECT_EQ(life.GainOfWaits(), (600 + 120) - (10 + 4 * 100));
}

// The host works for 1 ms between the copy's call and the wait, in which the copy has long come.
TEST(Replay, WhatTheHostDoesWhileAValueComesStays) {
  Process process;
  for (uint64_t step = 0; step < 4; ++step) {
    const uint64_t at = 1100 * step;
    process.Kernel(at, at + 10, at + 110);
    process.Call("cudaMemcpyAsync", at + 5, at + 9);
    process.Copy(at + 110, at + 120, MemoryKind::kDevice, MemoryKind::kPinned, 4, kStream);
    process.Call("cudaStreamSynchronize", at + 1010, at + 1012);
    process.Sync(GpuSyncKind::kStream, kStream);
  }
  EXPECT_LE(Life(&process).GainOfWaits(), 4 * (4 + 2) + 10) << "the calls, and the last copy";
}

// Steps of 300 µs: a kernel of 100, a wait for it, 190 of the host's own work. Either one alone
// leaves what the host still does, or waits for.
TEST(Replay, ChangesAtOnceBringWhatNeitherDoesAlone) {
  Process process;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 300 * step;
    process.Kernel(at, at + 10, at + 110);
    process.Call("cudaStreamSynchronize", at + 5, at + 115);
    process.Sync(GpuSyncKind::kStream, kStream);
  }
  Life life(&process);
  Scenario waits, work, both;
  waits.waits.assign(life.waits.size(), true);
  work.gaps.assign(life.gaps.size(), true);
  both.Join(waits);
  both.Join(work);
  EXPECT_EQ(life.Gain(&waits), 9 * 110 - 5) << "launches are 190 µs apart";
  EXPECT_EQ(life.Gain(&work), 9 * 185) << "and so are 115 µs";
  EXPECT_EQ(life.Gain(&both), 9 * 200) << "kernels follow each other";
}

TEST(Replay, HostWorkIsDoneBeforehandByOneOther) {
  Process process;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 1000 * step;
    process.Kernel(at, at + 10, at + 710);
    process.Call("cudaDeviceSynchronize", at + 5, at + 715);
  }
  Life life(&process);
  Scenario scenario;
  scenario.gaps.assign(life.gaps.size(), true);
  ASSERT_EQ(life.gaps.size(), 9u);
  EXPECT_EQ(life.Gain(&scenario), 9 * 285);  // of each step, but for the first
}

// A short wait for what is done stands between the host's work and its next launch.
// The host works for 1,000 µs, and the first step begins meanwhile.
TEST(Replay, WhatTheHostDidBeforeTheStepsDoesNotCount) {
  Process process;
  WaitsInALoop(&process, 1);
  process.Kernel(1115, 1125, 1225);
  Life life(&process);
  ASSERT_EQ(life.gaps.size(), 1u);
  Scenario scenario;
  scenario.gaps = {true};
  const auto gain = [&](uint64_t steps_us) {
    return Replay().Run(life.graph.windows.at(0), &scenario, steps_us * 1000).gain_ns() / 1000;
  };
  EXPECT_EQ(gain(0), 1000);
  EXPECT_EQ(gain(815), 300);
  EXPECT_EQ(gain(1115), 0);
}

// Of a window in which a thread's first point stands behind a gap, as where a gate was opened.
TEST(Replay, WhatTheHostDidBeforeItsFirstPointIsNotKnown) {
  ReplayWindow window;
  window.streams.resize(1);
  window.contexts = window.clocks = 1;
  window.ops.resize(1);
  window.ops[0].begin_ns = 1'000'100;
  window.ops[0].end_ns = 1'010'000;
  window.ops[0].latency_ns = 100;
  window.points.resize(1);
  window.points[0].begin_ns = 1'000'000;
  window.points[0].end_ns = 1'000'010;
  window.points[0].op = window.points[0].gap = 0;
  window.points[0].ops = 1;
  Scenario scenario;
  scenario.gaps = {true};
  Replay replay;
  for (const uint64_t steps_ns : {0, 999'000, 1'000'000, 2'000'000})
    EXPECT_EQ(replay.Run(window, &scenario, steps_ns).gain_ns(), 0) << steps_ns;
}

TEST(Replay, HostWorkBeforeAWaitForNothing) {
  Process process;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 1000 * step;
    if (step != 0) {
      process.Call("cudaStreamSynchronize", at - 10, at - 9);
      process.Sync(GpuSyncKind::kStream, kStream);
    }
    process.Kernel(at, at + 10, at + 710);
    process.Call("cudaDeviceSynchronize", at + 5, at + 715);
  }
  Life life(&process);
  Scenario scenario;
  scenario.gaps.assign(life.gaps.size(), true);
  EXPECT_EQ(life.Gain(&scenario), 9 * 275) << "what lies before that wait";
}

TEST(Replay, CopiesBesideKernels) {
  Process process;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 300 * step;
    process.Call("cudaMemcpyAsync", 2 * step, 2 * step + 1);
    process.Copy(at + 10, at + 110, MemoryKind::kPinned, MemoryKind::kDevice, 1 << 20, kStream);
    process.Kernel(2 * step + 1, at + 110, at + 310);
  }
  process.Call("cudaDeviceSynchronize", 30, 3015);
  Life life(&process);
  EXPECT_EQ(life.Gain(nullptr), 0);
  Scenario scenario;
  scenario.copies = true;
  EXPECT_NEAR(static_cast<double>(life.Gain(&scenario)), 1000, 105);
}

// Steps of 100 µs computing and 60 µs communicating, each of which waits for the other.
TEST(Replay, WhatIsCommunicatedKeepsNothingWaiting) {
  Process process;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 160 * step;
    process.Kernel(4 * step, at + 10, at + 110);
    process.Kernel(4 * step + 2, at + 110, at + 170);
    process.records.ops.back().kernel = 1;
  }
  process.Call("cudaDeviceSynchronize", 50, 1615);
  Life life(&process, {"", "AllReduce"});
  ASSERT_EQ(life.graph.communications, std::vector<std::string>{"AllReduce"});
  EXPECT_EQ(life.Gain(nullptr), 0);
  Scenario scenario;
  scenario.communications = {true};
  EXPECT_EQ(life.Gain(&scenario), 9 * 60) << "the last one has nothing beside it";
}

// What takes longer than all else cannot be hidden behind it.
TEST(Replay, CommunicationIsTheLimitThen) {
  Process process;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 160 * step;
    process.Kernel(4 * step, at + 10, at + 70);
    process.Kernel(4 * step + 2, at + 70, at + 170);
    process.records.ops.back().kernel = 1;
  }
  process.Call("cudaDeviceSynchronize", 50, 1615);
  Life life(&process, {"", "AllReduce"});
  Scenario scenario;
  scenario.communications = {true};
  EXPECT_EQ(life.Gain(&scenario), 9 * 60);
}

// Each step sends 1 MiB of pageable memory in 100 µs, for which the host waits until the kernel
// before is done, and stages it; and as much pinned memory in 25; and computes for 65 µs.
TEST(Replay, PinnedMemoryIsCopiedAsFastAsOtherPinnedMemory) {
  for (const bool any_pinned : {true, false}) {
    Process process;
    const MemoryKind other = any_pinned ? MemoryKind::kPinned : MemoryKind::kPageable;
    for (uint64_t step = 0; step < 10; ++step) {
      const uint64_t at = 200 * step;
      process.Call("cudaMemcpyAsync", at, at + 105);
      process.Copy(at + 10, at + 110, MemoryKind::kPageable, MemoryKind::kDevice, 1 << 20, kStream);
      process.Call("cudaMemcpyAsync", at + 113, at + 114);
      process.Copy(at + 115, at + 140, other, MemoryKind::kDevice, 1 << 20, kStream);
      process.Kernel(at + 115, at + 140, at + 205);
    }
    Life life(&process);
    EXPECT_EQ(life.Gain(nullptr), 0);
    const int64_t gain = life.GainWithout(
        [](const Wait& wait) { return wait.wait_class == WaitClass::kPageableCopy; });
    const int64_t step_us = any_pinned ? 25 + 25 + 65 : 190;  // at which the device is the limit
    EXPECT_NEAR(static_cast<double>(gain), static_cast<double>(9 * (200 - step_us)), 100)
        << any_pinned;
  }
}

TEST(Replay, TheDefaultStreamHoldsOthersUp) {
  Process process;
  for (uint64_t step = 0; step < 5; ++step) {
    const uint64_t at = 400 * step;
    process.Kernel(4 * step, at + 20, at + 220, kStream);
    process.Kernel(4 * step + 2, at + 220, at + 420, testing::kLegacyStream);
  }
  process.Call("cudaDeviceSynchronize", 30, 2025);
  Life life(&process);
  EXPECT_TRUE(life.graph.has_default_stream);
  EXPECT_EQ(life.Gain(nullptr), 0);
  Scenario scenario;
  scenario.default_stream = true;
  EXPECT_NEAR(static_cast<double>(life.Gain(&scenario)), 1000, 25);
}

// The device is idle when memory is given back, for the thread has waited. Without that wait the
// call waits in its place, and only what lies between the two goes on meanwhile.
TEST(Replay, GivingBackMemoryWaitsInPlaceOfAWait) {
  Process process;
  for (uint64_t at = 0; at < 1400; at += 140) {
    process.Kernel(at, at + 10, at + 110);
    process.Call("cudaStreamSynchronize", at + 5, at + 110);
    process.Sync(GpuSyncKind::kStream, kStream);
    process.Call("cudaFree", at + 120, at + 121);
  }
  Life life(&process);
  EXPECT_EQ(life.Gain(nullptr), 0);
  EXPECT_EQ(life.GainOfWaits(), 9 * 10);  // the last call comes after all work
}

// Of null, or of another device's memory.
TEST(Replay, GivingBackWhatIsNotOfThatDeviceWaitsForNothing) {
  Process process;
  process.Call("cudaMalloc", 1, 2);
  process.Memory(1);
  for (uint64_t at = 0; at < 1400; at += 140) {
    process.Kernel(at + 5, at + 10, at + 110);
    process.Call("cudaStreamSynchronize", at + 6, at + 110);
    process.Sync(GpuSyncKind::kStream, kStream);
    process.Call("cudaFree", at + 120, at + 121);
    if (at == 0) process.Memory(1);
  }
  Life life(&process);
  EXPECT_EQ(life.Gain(nullptr), 0);
  EXPECT_GT(life.GainOfWaits(), 9 * 30);
}

TEST(Replay, AllocationsOutOfTheLoop) {
  Process process;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 500 * step;
    process.Call("cudaMalloc", at, at + 100);
    process.Kernel(at + 110, at + 120, at + 320);
    process.Call("cudaFree", at + 130, at + 400);
  }
  Life life(&process);
  ASSERT_EQ(life.graph.allocations.size(), 19u) << "the one before all work is in no loop";
  Scenario scenario;
  scenario.allocations.assign(19, true);
  EXPECT_EQ(life.Gain(nullptr), 0);
  // Launches follow each other by 500 - 370 = 130 µs; kernels take 200, and the first begins at
  // 120.
  EXPECT_NEAR(static_cast<double>(life.Gain(&scenario)), 4900 - (120 + 2000), 105);
}

TEST(Replay, ThreadsThatTakeTurnsShareAClock) {
  Process process;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 300 * step;
    process.tid = 100;
    process.Kernel(at, at + 10, at + 60);
    process.tid = 200;
    process.Kernel(at + 20, at + 60, at + 110);
    process.tid = 100;
    process.Call("cudaDeviceSynchronize", at + 40, at + 115);
  }
  Life life(&process);
  EXPECT_EQ(life.graph.windows[0].clocks, 1u);
}

// It pins what the other one copies: never while that one waits, by chance.
TEST(Replay, AThreadThatSubmitsNothingTakesNoTurns) {
  Process process;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 300 * step;
    process.tid = 100;
    process.Kernel(at, at + 10, at + 60);
    process.Call("cudaDeviceSynchronize", at + 40, at + 115);
    process.tid = 200;
    process.Call("cudaHostAlloc", at + 200, at + 203);
  }
  Life life(&process);
  EXPECT_EQ(life.graph.windows[0].clocks, 2u);
  // All that the first thread does between its wait and its next launch goes, not only what is
  // behind the other's call.
  Scenario work;
  work.gaps.assign(life.gaps.size(), true);
  EXPECT_EQ(life.Gain(&work), 9 * 185);
  // The first call in the steps is the other one's, while the first thread works.
  EXPECT_EQ(Replay().Run(life.graph.windows[0], &work, 1'650'000).gain_ns() / 1000, 150 + 3 * 185);
}

TEST(Replay, ThreadsWhoseCallsRunAtOneTimeHaveClocksOfTheirOwn) {
  Process process;
  for (uint64_t step = 0; step < 100; ++step) {
    const uint64_t at = 300 * step;
    process.tid = 100;
    process.Kernel(at, at + 10, at + 60);
    process.tid = 200;
    process.Kernel(at + (step % 50 == 7 ? 1 : 100), at + 120, at + 150, kOtherStream);
  }
  EXPECT_EQ(Life(&process).graph.windows[0].clocks, 2u) << "two calls of a hundred";
}

TEST(Replay, ThreadsThatWaitForThemselvesHaveClocksOfTheirOwn) {
  Process process;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 300 * step;
    process.tid = 100;
    process.Kernel(at, at + 10, at + 100);
    process.Call("cudaStreamSynchronize", at + 5, at + 105);
    process.Sync(GpuSyncKind::kStream, kStream);
    process.tid = 200;
    process.Kernel(at + 20, at + 30, at + 160, kOtherStream);
    process.Call("cudaStreamSynchronize", at + 25, at + 165);
    process.Sync(GpuSyncKind::kStream, kOtherStream);
  }
  Life life(&process);
  EXPECT_EQ(life.graph.windows[0].clocks, 2u);
}

TEST(Replay, LongLivesAreReplayedInWindows) {
  Process process;
  WaitsInALoop(&process, 4000);
  Life life(&process);
  const int64_t whole = life.GainOfWaits();
  life.graph =
      MakeReplayGraph(process.records, {}, testing::Rules(), life.waits, life.gaps, {}, 800);
  EXPECT_EQ(life.graph.windows.size(), ReplayGraph::kWindows);
  EXPECT_EQ(life.Gain(nullptr), 0);
  const double share =
      static_cast<double>(life.graph.replayed_ns) / static_cast<double>(life.graph.whole_ns);
  EXPECT_NEAR(static_cast<double>(life.GainOfWaits()) / share, static_cast<double>(whole),
              static_cast<double>(whole) / 50);
}

// Steps of 100 µs on the device and 200 µs in a function behind that, which is waited for; the host
// needs 50 µs for the next launch.
void FunctionsInALoop(Process* process, uint64_t steps) {
  for (uint64_t step = 0; step < steps; ++step) {
    const uint64_t at = 350 * step;
    process->Kernel(at, at + 10, at + 100);
    process->Call("cudaLaunchHostFunc", at + 3, at + 4);
    process->Function(kStream);
    process->Call("cudaStreamSynchronize", at + 5, at + 300);
    process->Sync(GpuSyncKind::kStream, kStream);
  }
}

// Without the wait the stream stands still all the same while the function runs: of each step 60 µs
// are gained, and what the last one has behind it stays.
TEST(Replay, AFunctionOfTheHostTakesItsTimeInItsStream) {
  Process process;
  FunctionsInALoop(&process, 5);
  Life life(&process);
  EXPECT_EQ(life.Gain(nullptr), 0);
  EXPECT_EQ(life.GainOfWaits(), 4 * 60);
}

// The waits then wait for the kernels.
TEST(Replay, WithoutTheFunctionsTheDeviceWaitsForNothingElse) {
  Process process;
  FunctionsInALoop(&process, 5);
  Life life(&process);
  Scenario scenario;
  scenario.functions.assign(5, true);
  EXPECT_EQ(life.Gain(&scenario), 5 * 200);
}

TEST(Replay, AFunctionHoldsUpWhatWaitsForItsEvent) {
  Process process;
  process.Kernel(0, 10, 100);
  process.Call("cudaLaunchHostFunc", 3, 4);
  process.Function(kStream);
  process.Call("cudaEventRecord", 5, 6);
  process.Record(9, kStream);
  process.Call("cudaStreamWaitEvent", 7, 8);
  process.Sync(GpuSyncKind::kStreamWaitEvent, kOtherStream, 9);
  process.Kernel(9, 600, 650, kOtherStream);
  Life life(&process);
  EXPECT_EQ(life.Gain(nullptr), 0);
  Scenario scenario;
  scenario.functions = {true};
  EXPECT_EQ(life.Gain(&scenario), 500);
}

// A launch each 60 µs, of which recording takes 40, and a kernel of 5. Beside each launch there is
// a call that gives a device nothing to do. The first one is at 105.
void LaunchesInALoop(Process* process, uint64_t launches, uint64_t period = 60) {
  for (uint64_t i = 0; i < launches; ++i) {
    const uint64_t at = 100 + period * i;
    process->Call("cudaEventRecord", at, at + 1);
    process->Kernel(at + 5, at + 10, at + 15);
  }
}

int64_t GainOfLaunches(Life* life) {
  Scenario launches;
  launches.launches = true;
  return life->Gain(&launches) - life->Gain(nullptr);
}

TEST(RecordingCost, IsNoPartOfWhatLaunchesCost) {
  Process process;
  LaunchesInALoop(&process, 11);
  Life life(&process);
  EXPECT_EQ(GainOfLaunches(&life), 10 * (60 - 5)) << "as recorded";
  Replay replay;
  // 20 µs for each of the two calls before a kernel.
  EXPECT_EQ(replay.TakeOutCost(20'000, 0, &life.graph.windows[0]) / 1000, 11 * 40u);
  EXPECT_EQ(life.Gain(nullptr), 0) << "the window is as if it had been recorded so";
  Process bare;
  LaunchesInALoop(&bare, 11, 20);
  Life truth(&bare);
  EXPECT_EQ(GainOfLaunches(&life), GainOfLaunches(&truth));
  EXPECT_EQ(GainOfLaunches(&life), 10 * (20 - 5));
}

TEST(RecordingCost, OfWhatADeviceTakesNothingIsTaken) {
  Process process;
  WaitsInALoop(&process, 5);  // a device of 100 µs, and two calls of a host that needs 20
  Life life(&process);
  Replay replay;
  // Between a wait and the next launch lie 25 µs; what a wait costs more, it waits less.
  EXPECT_EQ(replay.TakeOutCost(10'000, 0, &life.graph.windows[0]) / 1000, 4 * 10u);
  EXPECT_EQ(life.Gain(nullptr), 0);
}

TEST(RecordingCost, IsNeverMoreThanTheHostTook) {
  Process process;
  LaunchesInALoop(&process, 11);
  Life life(&process);
  Replay replay;
  EXPECT_LE(replay.TakeOutCost(1'000'000, 0, &life.graph.windows[0]), 710'000u);
  for (const ReplayPoint& point : life.graph.windows[0].points)
    EXPECT_LE(point.begin_ns, point.end_ns);
  EXPECT_GE(GainOfLaunches(&life), 0);
}

TEST(RecordingCost, BeforeTheFirstStepNothingIsTaken) {
  Process process;
  LaunchesInALoop(&process, 11);
  Life life(&process);
  Replay replay;
  // From 400 on; of the launch at 405 only what lies behind that, and the call itself.
  EXPECT_EQ(replay.TakeOutCost(20'000, 400'000, &life.graph.windows[0]) / 1000, 5 + 2 + 5 * 40u);
}

// What another thread hands over comes when it came.
TEST(RecordingCost, WhatIsHandedOverComesNoEarlier) {
  Process process;
  LaunchesInALoop(&process, 11);
  Life life(&process);
  life.graph.windows[0].points.back().handed_over = true;
  Replay replay;
  EXPECT_EQ(replay.TakeOutCost(20'000, 0, &life.graph.windows[0]), 0u);
}

}  // namespace
}  // namespace syncline
