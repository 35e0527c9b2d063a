// SPDX-License-Identifier: Apache-2.0
// Times of operations: known at submission, or found out when what they depend on has ended.
#include "tests/simulated_gpu/engine/timeline.h"

#include <cuda.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/driver_state.h"
#include "tests/simulated_gpu/engine/memory_table.h"

namespace simgpu {
namespace {

// Longer than any machine can stop a test: what begins with it is still running when the test
// looks.
constexpr uint64_t kStillRunning = 3600ull * 1000000000;

class TimelineTest : public testing::Test {
 protected:
  TimelineTest()
      : context_(CreateContext(DeviceAt(0), 0, false)), stream_(CreateStream(context_, 0, 0)) {}

  Work Kernel(uint64_t ns) {
    Work work;
    work.device = context_->device;
    work.op.name = "kernel";
    work.op.correlation = ++correlation_;
    work.duration_ns = ns;
    return work;
  }

  Point Run(Stream* stream, Work work) {
    Submitted submitted;
    Point end;
    {
      EngineLock lock(EngineMutex());
      end = submitted.Add(std::move(work), StreamOrder(stream)).end;
      Advance(stream, end);
    }
    submitted.Publish();
    return end;
  }

  Dependencies Order(Stream* stream) {
    EngineLock lock(EngineMutex());
    return StreamOrder(stream);
  }

  Context* const context_;
  Stream* const stream_;
  uint32_t correlation_ = 0;
};

TEST_F(TimelineTest, AStreamRunsOneAfterTheOther) {
  const Point first = Run(stream_, Kernel(kStillRunning)), second = Run(stream_, Kernel(5000));
  EXPECT_EQ(second.ns, first.ns + 5000);
  EXPECT_EQ(Order(stream_).correlation(), 2u);
}

TEST_F(TimelineTest, TheLegacyStreamGathersBlockingStreamsOnly) {
  Stream* free = CreateStream(context_, 1, 0);
  const Point in_stream = Run(stream_, Kernel(kStillRunning));
  const Point in_free = Run(free, Kernel(2 * kStillRunning));
  const Point in_legacy = Run(context_->legacy, Kernel(1000));
  EXPECT_EQ(in_legacy.ns, in_stream.ns + 1000);
  EXPECT_LT(in_legacy.ns, in_free.ns);
  EXPECT_EQ(Run(stream_, Kernel(1)).ns, in_legacy.ns + 1);
}

TEST_F(TimelineTest, TheTailOfABlockingStreamHasLegacyWorkOnlyBeforeIt) {
  const auto tail = [](Stream* stream) {
    EngineLock lock(EngineMutex());
    return StreamTail(stream);
  };
  const Point in_legacy = Run(context_->legacy, Kernel(kStillRunning));
  EXPECT_EQ(tail(stream_).ns(), 0u);
  EXPECT_EQ(Order(stream_).ns(), in_legacy.ns);
  const Point behind = Run(stream_, Kernel(1000));
  EXPECT_EQ(behind.ns, in_legacy.ns + 1000);
  EXPECT_EQ(tail(stream_).ns(), behind.ns);
  EXPECT_EQ(tail(context_->legacy).ns(), behind.ns);
}

TEST_F(TimelineTest, WorkBehindAHostFunctionIsPlacedWhenThatHasRun) {
  std::atomic<bool> ran{false}, submitted{false};
  Work host = Kernel(0);
  host.op.kind = OperationKind::kHostFunction;
  host.ending = Ending::kHostFunction;
  host.body = [&] {
    while (!submitted) std::this_thread::yield();
    ran = true;
  };
  EXPECT_NE(Run(stream_, std::move(host)).pending, nullptr);
  bool body_saw_host = false;
  Work copy = Kernel(1000);
  copy.op.kind = OperationKind::kMemset;
  copy.body = [&] { body_saw_host = ran; };
  EXPECT_NE(Run(stream_, std::move(copy)).pending, nullptr);
  submitted = true;
  AwaitAll(Order(stream_));
  EXPECT_TRUE(ran && body_saw_host);
  EngineLock lock(EngineMutex());
  EXPECT_TRUE(IsOver(&stream_->tail, Now()));
}

TEST_F(TimelineTest, AnExternalOperationEndsWhenItIsSaid) {
  Work collective = Kernel(0);
  collective.op.kind = OperationKind::kCollective;
  collective.ending = Ending::kExternal;
  const uint32_t correlation = collective.op.correlation;
  const Point end = Run(stream_, std::move(collective));
  const Point behind = Run(stream_, Kernel(1000));
  ASSERT_NE(end.pending, nullptr);
  const uint64_t at = Now() + 3000000;
  std::thread other([&] { Finish(end.pending, at - 10, at); });
  AwaitAll(Order(stream_));
  other.join();
  EXPECT_GE(Now(), at + 1000);
  EXPECT_EQ(behind.pending->work.op.end_ns, at + 1000);
  EXPECT_EQ(behind.pending->work.waits_for, correlation);
}

struct FakeCollective : Collective {
  void Submitted(uint64_t run) override { submitted.push_back(run); }
  void Ready(uint64_t run, uint64_t at_ns, uint64_t length_ns) override {
    ready.push_back(run);
    ready_ns = at_ns;
    duration_ns = length_ns;
  }
  std::vector<uint64_t> submitted, ready;
  uint64_t ready_ns = 0, duration_ns = 0;
};

TEST_F(TimelineTest, ACollectiveHearsWhenItMayBeginAndSaysWhenItEnded) {
  const auto collective = std::make_shared<FakeCollective>();
  const auto run = [&] {
    Work work = Kernel(7000);
    work.op.kind = OperationKind::kCollective;
    work.ending = Ending::kExternal;
    work.collective = collective;
    return Run(stream_, std::move(work));
  };
  const Point before = Run(stream_, Kernel(kStillRunning));
  const Point first = run(), second = run();
  ASSERT_EQ(collective->submitted.size(), 2u);
  EXPECT_EQ(collective->ready, (std::vector<uint64_t>{collective->submitted[0]}));
  EXPECT_EQ(collective->ready_ns, before.ns);
  EXPECT_EQ(collective->duration_ns, 7000u);
  CollectiveFacts facts;
  facts.last_rank = 3;
  const uint64_t end_ns = before.ns + 5000000;
  FinishCollective(collective->ready[0], before.ns, end_ns, &facts);
  EXPECT_EQ(first.pending->work.op.end_ns, end_ns);
  EXPECT_EQ(first.pending->work.facts.last_rank, 3u);
  EXPECT_EQ(collective->ready, collective->submitted);
  EXPECT_EQ(collective->ready_ns, end_ns);
  FinishCollective(collective->ready[0], 0, 0, &facts);  // it has ended already: nothing happens
  EXPECT_EQ(first.pending->work.op.end_ns, end_ns);
  EXPECT_FALSE(second.pending->resolved);
  FinishCollective(collective->ready[1], end_ns, end_ns + 1, &facts);
  EXPECT_TRUE(second.pending->resolved);
}

TEST_F(TimelineTest, AnOperationThatNeverEndsIsNeverOver) {
  Work hung = Kernel(0);
  hung.ending = Ending::kNever;
  Run(stream_, std::move(hung));
  Run(stream_, Kernel(1));
  EngineLock lock(EngineMutex());
  EXPECT_FALSE(IsOver(&stream_->tail, UINT64_MAX));
  EXPECT_FALSE(ContextWork(context_, false).known());
}

TEST_F(TimelineTest, AnObserverHearsOfSubmissionFirst) {
  static std::atomic<int> submitted{0}, completed{0}, wrong{0};
  static const Observer observer = [] {
    Observer made;
    made.submitted = [](Operation* op) {
      op->observer_data = 42;
      ++submitted;
    };
    made.completed = [](const Operation* op) {
      if (op->observer_data != 42 || op->end_ns < op->start_ns || op->end_ns == 0) ++wrong;
      ++completed;
    };
    return made;
  }();
  simgpu_set_observer(&observer);
  simgpu_categories()->store(kOperations);
  for (int i = 0; i < 200; ++i) {
    Work host = Kernel(0);
    host.op.kind = OperationKind::kHostFunction;
    host.ending = Ending::kHostFunction;
    host.body = [] {};
    Run(stream_, std::move(host));
    Run(stream_, Kernel(10));
  }
  AwaitAll(Order(stream_));
  // `completed` may come after the waiters have been woken.
  for (int i = 0; i < 1000 && completed < 200; ++i) SleepUntil(Now() + 10000000);
  simgpu_categories()->store(0);
  simgpu_set_observer(nullptr);
  EXPECT_EQ(submitted, 400);
  EXPECT_GE(completed, 200);
  EXPECT_EQ(wrong, 0);
}

TEST(Waiting, FollowsTheScheduleOfTheContext) {
  const auto waiting = [](unsigned flags) {
    Context* context = CreateContext(DeviceAt(0), flags, false);
    const Waiting found = WaitingOf(context);
    DestroyContext(context);
    return found;
  };
  EXPECT_EQ(waiting(CU_CTX_SCHED_SPIN), Waiting::kSpins);
  EXPECT_EQ(waiting(CU_CTX_SCHED_YIELD | CU_CTX_MAP_HOST), Waiting::kYields);
  EXPECT_EQ(waiting(CU_CTX_SCHED_BLOCKING_SYNC), Waiting::kBlocks);
  EXPECT_TRUE(IsSchedule(CU_CTX_SCHED_AUTO) && IsSchedule(CU_CTX_SCHED_YIELD));
  EXPECT_FALSE(IsSchedule(CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD));
}

TEST(Waiting, YieldsWhereContextsOutnumberProcessors) {
  std::vector<Context*> contexts;
  for (long i = 0; i <= sysconf(_SC_NPROCESSORS_ONLN); ++i) {
    contexts.push_back(CreateContext(DeviceAt(0), CU_CTX_SCHED_AUTO, false));
  }
  EXPECT_EQ(WaitingOf(contexts[0]), Waiting::kYields);
  for (Context* context : contexts) DestroyContext(context);
}

uint64_t ThreadCpuNs() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

// The processor time that waits of kSpinNs took: the least and the most of some. A busy machine can
// change one, hardly all.
std::pair<uint64_t, uint64_t> CpuOfWaits(Waiting waiting) {
  uint64_t least = UINT64_MAX, most = 0;
  for (int i = 0; i < 100; ++i) {
    const uint64_t before = ThreadCpuNs(), until = Now() + kSpinNs;
    WaitUntil(until, waiting);
    EXPECT_GE(Now(), until);
    const uint64_t took = ThreadCpuNs() - before;
    least = std::min(least, took);
    most = std::max(most, took);
  }
  return {least, most};
}

TEST(Waiting, KeepsTheProcessorUnlessItBlocks) {
  EXPECT_LT(CpuOfWaits(Waiting::kBlocks).first, kSpinNs / 2);
  EXPECT_GT(CpuOfWaits(Waiting::kSpins).second, kSpinNs / 2);
  EXPECT_GT(CpuOfWaits(Waiting::kYields).second, kSpinNs / 2);
}

TEST(MemoryTable, FindsTheAllocationThatHoldsAnAddress) {
  MemoryTable table;
  Allocation a;
  a.base = 4096;
  a.bytes = 100;
  EXPECT_TRUE(table.Insert(&a));
  EXPECT_FALSE(table.Insert(&a)) << "overlaps";
  const auto at = [](uintptr_t address) { return reinterpret_cast<const void*>(address); };
  EXPECT_TRUE(table.Find(at(4096)) && table.Find(at(4195)));
  EXPECT_FALSE(table.Find(at(4095)) || table.Find(at(4196)));
  EXPECT_FALSE(table.FindBase(at(4100)));
  EXPECT_TRUE(table.Erase(4096));
  EXPECT_FALSE(table.Find(at(4096)));
}

}  // namespace
}  // namespace simgpu
