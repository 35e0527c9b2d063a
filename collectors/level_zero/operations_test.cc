// SPDX-License-Identifier: Apache-2.0
// Each execution is read once, at the right time, whoever reads it; the rest is counted.
#include "collectors/level_zero/operations.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "collectors/level_zero/appends.h"
#include "collectors/level_zero/hooks.h"
#include "collectors/level_zero/objects.h"
#include "collectors/level_zero/test_driver.h"
#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/recorded.h"

namespace syncline::level_zero {
namespace {

using syncline::test::Losses;
using syncline::test::ReadRecords;
using syncline::test::Recorded;

constexpr uint64_t kMs = test::kHertz / 1000;
constexpr Drained kNothing = {};

void SignalNow(ze_event_handle_t event) {
  const uint64_t now = test::TicksNow();
  test::Signal(event, now, now);
}

class OperationsTest : public testing::Test {
 protected:
  void SetUp() override {
    syncline::test::ResetSession();
    test::UseTestDriver();
    device_ = DeviceOf(test::NewDevice());
    ASSERT_NE(device_, nullptr);
    static uintptr_t contexts = 0;
    context_ = ContextOf(reinterpret_cast<ze_context_handle_t>(++contexts * 64));
    ASSERT_NE(context_, nullptr);
    syncline::test::ResetSession();
  }

  Submission Now(uint32_t correlation) const { return {correlation, 1, device_, AboutNow()}; }

  static std::vector<DeviceOpRecord> Work() {
    std::vector<DeviceOpRecord> work;
    for (const Recorded& record : ReadRecords()) {
      if (record.kind == RecordKind::kDeviceOp) work.push_back(record.op);
    }
    return work;
  }

  // Part of a list, with an event of ours.
  uint32_t OfAList(ze_event_handle_t* event) const {
    const uint32_t own = context_->TakeEvent();
    *event = context_->HandleOf(own);
    return NewOperation({}, context_, own, *event, true);
  }

  Device* device_ = nullptr;
  Context* context_ = nullptr;
};

TEST_F(OperationsTest, IsReadOnceAndNotBeforeItIsDone) {
  const ze_event_handle_t event = test::NewEvent();
  const uint32_t operation = NewOperation({}, context_, kNone, event, false);
  const Execution execution = Execute(operation, Now(5));
  EXPECT_EQ(Read(execution), Outcome::kNotReady);
  const uint64_t ticks = test::TicksNow();
  test::Signal(event, ticks, ticks + kMs);
  EXPECT_EQ(Read(execution), Outcome::kRead);
  EXPECT_EQ(Read(execution), Outcome::kGone);
  const std::vector<DeviceOpRecord> work = Work();
  ASSERT_EQ(work.size(), 1u);
  EXPECT_EQ(work[0].correlation, 5u);
  EXPECT_NEAR(static_cast<double>(work[0].end - work[0].begin), 1e6, 100);
}

TEST_F(OperationsTest, TimeStampsAreUnwrapped) {
  test::SetClockAhead((uint64_t{7} << 32) - test::TicksNow() % (uint64_t{1} << 32) + kMs);
  const ze_event_handle_t event = test::NewEvent();
  // Wherever the low bits wrap, the work lasts three milliseconds.
  for (int i = 0; i < 8; ++i) {
    const uint32_t operation = NewOperation({}, context_, kNone, event, false);
    const Execution execution = Execute(operation, Now(10));
    const uint64_t end = test::TicksNow();
    test::Signal(event, end - 3 * kMs, end);
    syncline::test::ResetSession();
    EXPECT_EQ(Read(execution), Outcome::kRead);
    // The submission was later than the begin: it cannot be.
    if (Losses(kLoss_ze_garbage) == 0) {
      ASSERT_EQ(Work().size(), 1u);
      EXPECT_NEAR(static_cast<double>(Work()[0].end - Work()[0].begin), 3e6, 200);
    }
    (void)g_api.EventHostReset(event);
  }
}

TEST_F(OperationsTest, StampsOfAnotherTimeAreNoTimes) {
  const ze_event_handle_t event = test::NewEvent();
  const Execution execution = Execute(NewOperation({}, context_, kNone, event, false), Now(6));
  test::Signal(event, test::TicksNow() - 2000 * kMs, test::TicksNow() - 1000 * kMs);
  EXPECT_EQ(Read(execution), Outcome::kRead);
  EXPECT_EQ(Work().size(), 0u);
  EXPECT_EQ(Losses(kLoss_ze_garbage), 1u);
}

TEST_F(OperationsTest, TheReaderTakesWhatIsDoneAndGivesItsEventBack) {
  const uint32_t first = context_->TakeEvent();
  const ze_event_handle_t handle = context_->HandleOf(first);
  const uint32_t operation = NewOperation({}, context_, first, handle, false);
  Execute(operation, Now(7));
  ReadFinished();
  EXPECT_EQ(Work().size(), 0u);
  SignalNow(handle);
  ReadFinished();
  EXPECT_EQ(Work().size(), 1u);
  EXPECT_FALSE(test::IsSignaled(handle));
  EXPECT_EQ(context_->HandleOf(context_->TakeEvent()), handle) << "the last one given back";
}

TEST_F(OperationsTest, AListThatRunsAgainIsReadBetween) {
  ze_event_handle_t event = nullptr;
  const uint32_t operation = OfAList(&event);
  for (uint32_t i = 0; i < 3; ++i) {
    PrepareAgain(operation, kNothing);
    EXPECT_FALSE(test::IsSignaled(event));
    Execute(operation, Now(20 + i));
    SignalNow(event);
  }
  PrepareAgain(operation, kNothing);
  EXPECT_EQ(Work().size(), 3u);
  DropOperation(operation);
  EXPECT_EQ(syncline::test::AllLosses(), 0u);
}

// Nobody can say whose times its event has then.
TEST_F(OperationsTest, AListThatRunsTwiceAtOnceLosesBoth) {
  ze_event_handle_t event = nullptr;
  const uint32_t operation = OfAList(&event);
  Execute(operation, Now(30));
  PrepareAgain(operation, kNothing);
  Execute(operation, Now(31));
  EXPECT_EQ(Losses(kLoss_ze_list_reused), 2u);
  // One of the two has signaled: the other may still.
  SignalNow(event);
  PrepareAgain(operation, kNothing);
  Execute(operation, Now(32));
  EXPECT_EQ(Losses(kLoss_ze_list_reused), 3u);
  PrepareAgain(operation, {2, TicketsGiven()});
  Execute(operation, Now(33));
  EXPECT_EQ(Losses(kLoss_ze_list_reused), 4u) << "another queue was waited for";
  PrepareAgain(operation, {1, TicketsGiven() - 1});
  Execute(operation, Now(34));
  EXPECT_EQ(Losses(kLoss_ze_list_reused), 5u) << "the last one came after the wait";
  PrepareAgain(operation, {1, TicketsGiven()});
  EXPECT_FALSE(test::IsSignaled(event));
  Execute(operation, Now(35));
  SignalNow(event);
  PrepareAgain(operation, kNothing);
  EXPECT_EQ(Losses(kLoss_ze_list_reused), 5u) << "followed again";
  EXPECT_EQ(Work().size(), 1u);
}

TEST_F(OperationsTest, AWaitForOneOfTwoQueuesSaysNothingOfTheOther) {
  ze_event_handle_t event = nullptr;
  const uint32_t operation = OfAList(&event);
  Submission on_another = Now(51);
  on_another.stream = 2;
  Execute(operation, Now(50));
  PrepareAgain(operation, kNothing);
  Execute(operation, on_another);
  PrepareAgain(operation, {2, TicketsGiven()});
  Execute(operation, Now(52));
  EXPECT_EQ(Losses(kLoss_ze_list_reused), 3u);
  DropOperation(operation);
}

// What signals it then may be the work before.
TEST_F(OperationsTest, AnEventThatWasUsedTooEarlyIsReadAfterItsReset) {
  const ze_event_handle_t handle = test::NewEvent();
  Event* event = g_objects.events.Insert(handle);
  const auto execute = [&](uint32_t correlation) {
    ReadBeforeReuse(event);
    KeepExecution(event,
                  Execute(NewOperation({}, context_, kNone, handle, false), Now(correlation)));
  };
  execute(60);
  execute(61);
  SignalNow(handle);
  ReadIfDone(event);
  EXPECT_EQ(Work().size(), 0u);
  EXPECT_EQ(Losses(kLoss_ze_event_reused), 2u);
  EXPECT_EQ(hooks::EventHostReset(handle), ZE_RESULT_SUCCESS);
  execute(62);
  EXPECT_EQ(hooks::EventHostReset(handle), ZE_RESULT_SUCCESS) << "it is under way";
  execute(63);
  SignalNow(handle);
  ReadIfDone(event);
  EXPECT_EQ(Work().size(), 0u);
  EXPECT_EQ(Losses(kLoss_ze_event_reused), 4u);
  EXPECT_EQ(hooks::EventHostReset(handle), ZE_RESULT_SUCCESS);
  execute(64);
  SignalNow(handle);
  ReadIfDone(event);
  EXPECT_EQ(Work().size(), 1u);
  g_objects.events.Erase(handle);
}

// Runtimes use them again while their work runs.
TEST_F(OperationsTest, ACounterBasedEventStandsForItsLatestWork) {
  const ze_event_handle_t handle = test::NewEvent();
  Event* event = g_objects.events.Insert(handle);
  event->counter_based = true;
  for (uint32_t i = 0; i < 2; ++i) {
    ReadBeforeReuse(event);
    KeepExecution(event, Execute(NewOperation({}, context_, kNone, handle, false), Now(80 + i)));
  }
  SignalNow(handle);
  ReadIfDone(event);
  EXPECT_EQ(Work().size(), 1u);
  EXPECT_EQ(Losses(kLoss_ze_event_reused), 1u);
  g_objects.events.Erase(handle);
}

TEST_F(OperationsTest, AListThatSignalsAnEventTwiceHasNoTimesForIt) {
  const ze_event_handle_t handle = test::NewEvent();
  Event* event = g_objects.events.Insert(handle);
  for (uint32_t i = 0; i < 2; ++i)
    KeepExecution(event, Execute(NewOperation({}, context_, kNone, handle, false), Now(70 + i)));
  SignalNow(handle);
  ReadIfDone(event);
  EXPECT_EQ(Work().size(), 0u);
  EXPECT_EQ(Losses(kLoss_ze_event_reused), 2u);
  g_objects.events.Erase(handle);
}

// Its next work would have the times of this.
TEST_F(OperationsTest, AnEventIsGivenBackAsItWasTaken) {
  ze_event_handle_t event = nullptr;
  const uint32_t operation = OfAList(&event);
  Execute(operation, Now(36));
  PrepareAgain(operation, kNothing);
  Execute(operation, Now(37));
  SignalNow(event);
  DropOperation(operation);
  EXPECT_EQ(context_->HandleOf(context_->TakeEvent()), event);
  EXPECT_FALSE(test::IsSignaled(event));
}

TEST_F(OperationsTest, WhatIsLeftToReadIsKnown) {
  ReadFinished();  // passes over what other tests left
  const uint32_t before = UnreadWork();
  const ze_event_handle_t programs = test::NewEvent();
  Execute(NewOperation({}, context_, kNone, programs, false), Now(38));
  EXPECT_EQ(UnreadWork(), before) << "the program's event is read when the program uses it";
  const uint32_t own = context_->TakeEvent();
  Execute(NewOperation({}, context_, own, context_->HandleOf(own), false), Now(39));
  EXPECT_EQ(UnreadWork(), before + 1);
  SignalNow(context_->HandleOf(own));
  ReadFinished();
  EXPECT_EQ(UnreadWork(), before);
}

// An event that was not reset is signaled still, by the work before.
TEST_F(OperationsTest, TheSignalOfTheWorkBeforeIsNotTaken) {
  const ze_event_handle_t handle = test::NewEvent();
  Event* event = g_objects.events.Insert(handle);
  const auto execute = [&](uint32_t correlation) {
    event->execution =
        ToWord(Execute(NewOperation({}, context_, kNone, handle, false), Now(correlation)));
  };
  execute(42);
  SignalNow(handle);
  ReadIfDone(event);
  EXPECT_EQ(Work().size(), 1u);
  execute(43);
  ReadIfDone(event);
  EXPECT_NE(event->execution, 0u) << "still to be read";
  EXPECT_EQ(Work().size(), 1u);
  const uint64_t later = test::TicksNow() + 1;
  ze_kernel_timestamp_result_t before{};
  (void)g_api.EventQueryKernelTimestamp(handle, &before);
  test::Signal(handle, later, before.global.kernelEnd);
  ReadIfDone(event);
  EXPECT_EQ(Work().size(), 1u) << "it has begun";
  test::Signal(handle, later, later);
  ReadIfDone(event);
  EXPECT_EQ(event->execution, 0u);
  EXPECT_EQ(Work().size(), 2u);
  execute(44);
  ReadBeforeReuse(event);
  EXPECT_EQ(Losses(kLoss_ze_event_reused), 1u);
  g_objects.events.Erase(handle);
}

// A pool that goes with events in it.
TEST_F(OperationsTest, EventsOfAPoolAreReadBeforeItGoes) {
  const auto pool_handle = reinterpret_cast<ze_event_pool_handle_t>(&context_);
  EventPool* pool = g_objects.pools.Insert(pool_handle);
  pool->number = NextEventId();
  const ze_event_handle_t handles[] = {test::NewEvent(), test::NewEvent(), test::NewEvent()};
  for (const ze_event_handle_t handle : handles) {
    Event* event = g_objects.events.Insert(handle);
    event->pool = handle == handles[2] ? nullptr : pool_handle;
    event->pool_number = pool->number;
    pool->events += handle != handles[2];
    event->execution = ToWord(Execute(NewOperation({}, context_, kNone, handle, false), Now(41)));
  }
  SignalNow(handles[0]);
  ReadEventsOf(pool_handle);
  EXPECT_EQ(Work().size(), 1u);
  EXPECT_EQ(Losses(kLoss_ze_event_reused), 1u);
  EXPECT_NE(g_objects.events.Find(handles[2])->execution, 0u) << "another pool's";
  for (const ze_event_handle_t handle : handles) g_objects.events.Erase(handle);
  g_objects.pools.Erase(pool_handle);
}

TEST_F(OperationsTest, AnEventThatIsUsedAgainTooSoonLosesItsWork) {
  Event event;
  const ze_event_handle_t handle = test::NewEvent();
  event.execution = ToWord(Execute(NewOperation({}, context_, kNone, handle, false), Now(40)));
  ReadIfDone(&event);
  EXPECT_NE(event.execution, 0u) << "still to be read";
  ReadBeforeReuse(&event);
  EXPECT_EQ(event.execution, 0u);
  EXPECT_EQ(Losses(kLoss_ze_event_reused), 1u);
  SignalNow(handle);
  ReadBeforeReuse(&event);
  EXPECT_EQ(Work().size(), 0u);
}

// The thread that reads and the program's threads meet at the same work; each has one record.
TEST_F(OperationsTest, ThreadsReadEachExecutionOnce) {
  constexpr uint32_t kEach = 2000;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([this] {
      for (uint32_t i = 0; i < kEach; ++i) {
        const uint32_t event = context_->TakeEvent();
        if (event == kNone) continue;
        const ze_event_handle_t handle = context_->HandleOf(event);
        const Execution execution =
            Execute(NewOperation({}, context_, event, handle, false), Now(1));
        SignalNow(handle);
        if (i % 2 == 0) {
          (void)Read(execution);
        } else {
          ReadFinished();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ReadFinished();
  EXPECT_EQ(Work().size(), 3 * kEach);
  EXPECT_EQ(syncline::test::AllLosses(), 0u);
}

TEST_F(OperationsTest, AContextThatEndsIsReadAndTakesItsEventsAlong) {
  const uint32_t own = context_->TakeEvent();
  Execute(NewOperation({}, context_, own, context_->HandleOf(own), false), Now(50));
  SignalNow(context_->HandleOf(own));
  const uint32_t hung = context_->TakeEvent();
  Execute(NewOperation({}, context_, hung, context_->HandleOf(hung), false), Now(51));
  const uint64_t before = test::EventsAlive();
  EXPECT_TRUE(EndContext(context_)) << "the caller destroys the vendor's";
  EXPECT_EQ(Work().size(), 1u);
  EXPECT_LE(test::EventsAlive(), before - kEventsPerPool);
  EXPECT_EQ(context_->TakeEvent(), kNone);
  ReadFinished();
  EXPECT_EQ(Losses(kLoss_ze_context_destroyed), 1u);
}

// Drivers let that pass, and programs do it at their end.
TEST_F(OperationsTest, AListOutlivesItsContext) {
  const uint32_t own = context_->TakeEvent();
  const uint32_t operation = NewOperation({}, context_, own, context_->HandleOf(own), true);
  Execute(operation, Now(50));
  SignalNow(context_->HandleOf(own));
  EXPECT_TRUE(context_->IsAlive());
  EXPECT_TRUE(EndContext(context_));
  EXPECT_FALSE(context_->IsAlive());
  EXPECT_EQ(Work().size(), 1u);
  for (int i = 0; i < 3; ++i) {
    PrepareAgain(operation, {});
    Execute(operation, Now(60));
    if (i == 1) ReadFinished();
  }
  ReadFinished();
  EXPECT_EQ(Losses(kLoss_ze_context_destroyed), 3u);
  EXPECT_EQ(syncline::test::AllLosses(), 3u) << "nothing says that it should synchronise";
}

// Threads destroy contexts while others read: each is ended once, and destroyed once.
TEST_F(OperationsTest, ContextsEndWhileOthersRead) {
  static std::atomic<int> destroyed{0};
  g_api.ContextDestroy = [](ze_context_handle_t) {
    ++destroyed;
    return ZE_RESULT_SUCCESS;
  };
  constexpr int kContexts = 40;
  std::atomic<bool> stop{false};
  std::thread reader([&stop] {
    while (!stop) ReadFinished();
  });
  for (uintptr_t i = 1; i <= kContexts; ++i) {
    const auto handle = reinterpret_cast<ze_context_handle_t>(0x100000 + i * 64);
    Context* context = ContextOf(handle);
    ASSERT_NE(context, nullptr);
    const uint32_t own = context->TakeEvent();
    Execute(NewOperation({}, context, own, context->HandleOf(own), false), Now(60));
    SignalNow(context->HandleOf(own));
    ASSERT_EQ(ForgetContext(handle), context);
    if (EndContext(context)) g_api.ContextDestroy(handle);
  }
  stop = true;
  reader.join();
  ReadFinished();
  EXPECT_EQ(destroyed, kContexts);
  EXPECT_EQ(Work().size(), static_cast<size_t>(kContexts));
}

}  // namespace
}  // namespace syncline::level_zero
