// SPDX-License-Identifier: Apache-2.0
// Calls of two sources on one thread, and their typed arguments.
#include "inject/core/call_log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/record_walk.h"
#include "tests/fake_session/recorded.h"
#include "tests/fake_session/trace.h"

namespace syncline::test {
namespace {

constexpr Source kUpper = 5, kLower = 6;
constexpr char kSendText[] = "send", kWaitText[] = "wait";
constexpr CallName kSend(kSendText, 4, static_cast<uint8_t>(CallRole::kCommunicate), 31, false);
constexpr CallName kWait(kWaitText, 4, static_cast<uint8_t>(CallRole::kSynchronizeQueue), 8, true);
constexpr char kLaunchText[] = "launch";
constexpr CallName kLaunch(kLaunchText, 6, static_cast<uint8_t>(CallRole::kLaunch), 10, false);
constinit CallLog<kUpper> g_upper;
constinit CallLog<kLower> g_lower;

struct Sent {
  uint64_t bytes;
  int32_t peer;
};
constexpr ArgumentField kFields[] = {
    {"bytes", ArgumentType::kUint64, 0},
    {"peer", ArgumentType::kInt32, 8},
};
constexpr ArgumentSchema kSentSchema = {kUpper, 1, "sent", sizeof(Sent), kFields, 2};

constexpr char kAskText[] = "ask";
constexpr CallName kAsk(kAskText, 3, static_cast<uint8_t>(CallRole::kQuery), 9, false);

constexpr uint32_t Roles(CallRole role) { return 1u << static_cast<uint32_t>(role); }
uint32_t g_stacks_taken;

// 100, 101, ...
uint32_t TakeNextStack(ThreadLog& log) {
  EXPECT_EQ(&log, t_log);
  return 100 + g_stacks_taken++;
}

// Of each call the id in its second slot; -1: it has one slot. Of a row of queries -10 for each.
std::vector<int64_t> StacksOfCalls() {
  std::vector<int64_t> stacks;
  for (const ThreadRecords& thread : RecordsOfThreads()) {
    EXPECT_TRUE(ForEachRecord(thread, [&](const RecordView& view) {
      if (view.kind() != RecordKind::kCall) return;
      const bool has = view.bytes == sizeof(CallRecord) + sizeof(CallStack);
      EXPECT_TRUE(has || view.bytes == sizeof(CallRecord)) << view.bytes;
      const CallStack tail = has ? view.Load<CallStack>(sizeof(CallRecord)) : CallStack{};
      const int64_t in_row = -10 * int64_t{tail.queries};
      stacks.push_back(!has ? -1 : tail.queries != 0 ? in_row : int64_t{tail.stack});
    }));
  }
  return stacks;
}

// A thread that loses its processor between two queries begins a new row: until it did not.
template <typename Scenario>
void ExpectRows(const std::vector<int64_t>& wanted, const Scenario& scenario) {
  std::vector<int64_t> rows;
  for (int i = 0; i < 1000 && rows != wanted; ++i) {
    ResetSession();
    g_stacks_taken = 0;
    scenario();
    rows = StacksOfCalls();
  }
  EXPECT_EQ(rows, wanted);
}

class CallLogs : public ::testing::Test {
 protected:
  void SetUp() override {
    ResetSession();
    g_stacks_taken = 0;
  }
  void TearDown() override { TakeStacksOf(0, nullptr); }
};

TEST_F(CallLogs, EachSourceHasAnOutermostCall) {
  const WatchedCall send = {&kSend, 1}, wait = {&kWait, 1};
  const uint64_t sent = g_upper.Begin(send);
  const uint64_t waited = g_lower.Begin(wait);
  const uint64_t again = g_lower.Begin(wait);
  const RingControl& control = *t_log->control;
  EXPECT_NE(control.calls[kUpper].begin, 0u);
  EXPECT_NE(control.calls[kLower].begin, 0u);
  EXPECT_EQ(control.calls[kLower].role, kWait.role);
  EXPECT_EQ(control.calls[kLower].flags, kDriverCall);
  g_lower.End(wait, again, 0);
  g_lower.End(wait, waited, 0);
  EXPECT_EQ(control.calls[kLower].begin, 0u);
  EXPECT_NE(control.calls[kUpper].begin, 0u);
  g_upper.End(send, sent, 3);
  const auto calls = ReadRecords(RecordKind::kCall);
  ASSERT_EQ(calls.size(), 2u)
      << "calls inside of others are not recorded, unless by another source";
  EXPECT_EQ(calls[0].call.source, kLower);
  EXPECT_EQ(calls[0].flags, kDriverCall);
  EXPECT_EQ(calls[0].name, "wait");
  EXPECT_EQ(calls[0].number, 8);
  EXPECT_EQ(calls[1].call.source, kUpper);
  EXPECT_EQ(RoleOf(calls[1].call.role), CallRole::kCommunicate);
  EXPECT_EQ(calls[1].flags, 0);
  EXPECT_EQ(calls[1].call.result, 3);
}

// A source that begins to watch anew forgets its own open calls only.
TEST_F(CallLogs, AWatchIsOfOneSource) {
  const WatchedCall send = {&kSend, 1}, wait = {&kWait, 1};
  const uint64_t sent = g_upper.Begin(send);
  g_lower.Begin(wait);
  g_lower.BeginWatching(false);
  const uint64_t next = g_lower.Begin(wait);
  g_lower.End(wait, next, 0);
  g_upper.End(send, sent, 0);
  const auto calls = ReadRecords(RecordKind::kCall);
  ASSERT_EQ(calls.size(), 2u);
  for (const auto& call : calls) EXPECT_EQ(call.flags & kInnerCall, 0);
}

TEST_F(CallLogs, ArgumentsComeBeforeTheirCall) {
  const WatchedCall send = {&kSend, 1};
  for (int32_t peer = 0; peer < 3; ++peer) {
    const Sent sent = {4096, peer};
    g_upper.End(send, g_upper.Begin(send), 0, {&kSentSchema, &sent});
  }
  g_upper.End(send, g_upper.Begin(send), 0);
  const auto calls = ReadRecords(RecordKind::kCall);
  ASSERT_EQ(calls.size(), 4u);
  for (int32_t peer = 0; peer < 3; ++peer) {
    EXPECT_NE(calls[peer].call.role & kCallHasPayload, 0);
    Sent sent;
    ASSERT_EQ(calls[peer].arguments.size(), sizeof(sent));
    std::memcpy(&sent, calls[peer].arguments.data(), sizeof(sent));
    EXPECT_EQ(sent.bytes, 4096u);
    EXPECT_EQ(sent.peer, peer);
  }
  EXPECT_EQ(calls[3].call.role & kCallHasPayload, 0);
  // Where the loader put them decides whether they share a place in the cache of names.
  const bool share = &NameSlot(*t_log, &kSend) == &NameSlot(*t_log, &kSentSchema);
  EXPECT_EQ(ReadRecords(RecordKind::kSchema).size(), share ? 3u : 1u) << "once a stream";
}

TEST_F(CallLogs, WithoutRoomForArgumentsTheCallIsStillRecorded) {
  const WatchedCall send = {&kSend, 1};
  const Sent sent = {1, 2};
  g_upper.End(send, g_upper.Begin(send), 0);  // the name is defined
  LimitRings(t_log->head + sizeof(CallRecord));
  g_upper.End(send, g_upper.Begin(send), 0, {&kSentSchema, &sent});
  const auto calls = ReadRecords(RecordKind::kCall);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[1].call.role & kCallHasPayload, 0);
  EXPECT_EQ(Losses(kLoss_definition), 1u);
}

TEST_F(CallLogs, ASchemaThatIsTooLargeIsALostDefinition) {
  const std::string name(1200, 'x');
  const ArgumentField field = {name.c_str(), ArgumentType::kUint64, 0};
  const ArgumentSchema schema = {kUpper, 2, "large", 8, &field, 1};
  const WatchedCall send = {&kSend, 1};
  const uint64_t value = 1;
  g_upper.End(send, g_upper.Begin(send), 0, {&schema, &value});
  EXPECT_EQ(Losses(kLoss_definition), 1u);
  EXPECT_EQ(ReadRecords(RecordKind::kCall).size(), 1u);
}

TEST_F(CallLogs, OutermostCallsOfTheChosenRolesBearTheirStack) {
  TakeStacksOf(Roles(CallRole::kSynchronizeQueue), TakeNextStack);
  const WatchedCall send = {&kSend, 1}, wait = {&kWait, 2};
  g_lower.BeginWatching(true);
  const uint64_t outer = g_lower.Begin(wait);
  EXPECT_EQ(t_log->control->calls[kLower].stack, 100u) << "a call that never returns has it too";
  g_lower.End(wait, g_lower.Begin(wait), 0);  // inside
  g_lower.End(wait, outer, 0);
  g_lower.End(send, g_lower.Begin(send), 0);  // of another role
  g_lower.End(wait, g_lower.Begin(wait), 0);
  EXPECT_EQ(StacksOfCalls(), (std::vector<int64_t>{-1, 100, -1, 101}));
  EXPECT_EQ(g_stacks_taken, 2u);
  g_lower.BeginWatching(false);
}

TEST_F(CallLogs, AStackIsOfItsOwnSourcesCall) {
  TakeStacksOf(Roles(CallRole::kSynchronizeQueue), TakeNextStack);
  const WatchedCall send = {&kSend, 1}, wait = {&kWait, 2};
  const uint64_t sent = g_upper.Begin(send);
  const uint64_t waited = g_lower.Begin(wait);
  g_upper.End(send, sent, 0);
  g_lower.End(wait, waited, 0);
  EXPECT_EQ(StacksOfCalls(), (std::vector<int64_t>{-1, 100}));
}

TEST_F(CallLogs, ACallInsideOneThatIsNotSeenInFullHasNone) {
  TakeStacksOf(Roles(CallRole::kSynchronizeQueue), TakeNextStack);
  const WatchedCall wait = {&kWait, 1};
  const uint64_t outer = g_lower.Begin(wait);
  for (int i = 0; i < 3; ++i) g_lower.End(wait, g_lower.Begin(wait), 0);
  g_lower.End(wait, outer, 0);
  EXPECT_EQ(StacksOfCalls(), (std::vector<int64_t>{100}));
  EXPECT_EQ(g_stacks_taken, 1u);
}

TEST_F(CallLogs, OfARowOfQueriesTheFirstBearsItsStack) {
  TakeStacksOf(Roles(CallRole::kQuery) | Roles(CallRole::kCommunicate), TakeNextStack);
  const int event = 0, other = 0;
  const WatchedCall ask = {&kAsk, 1, &event}, elsewhere = {&kAsk, 2, &other}, send = {&kSend, 3},
                    wait = {&kWait, 4}, unknown = {&kAsk, 5};
  constexpr uint32_t kNotReady = 600;
  const auto call = [](const WatchedCall& what, uint32_t result) {
    g_lower.End(what, g_lower.Begin(what), result);
  };
  const auto ask_and_do = [&] {
    for (const WatchedCall& what : {ask, ask, ask}) call(what, kNotReady);
    call(send, 0);
    for (const WatchedCall& what : {ask, ask}) call(what, kNotReady);
    call(wait, 0);
    call(ask, kNotReady);
  };
  ExpectRows({100, -20, 101, 102, -10, -1, 103}, ask_and_do);
  // A new row begins behind an answer that it is done, and with another object.
  const auto ask_others = [&] {
    call(ask, kNotReady);
    call(ask, 0);
    call(ask, kNotReady);
    call(elsewhere, kNotReady);
    call(elsewhere, kNotReady);
    for (const WatchedCall& what : {unknown, unknown}) call(what, kNotReady);
  };
  ExpectRows({100, -1, 101, 102, -10, 103, 104}, ask_others);
}

TEST_F(CallLogs, ARowOfQueriesIsSeenWithWhatFollows) {
  const int event = 0;
  const WatchedCall ask = {&kAsk, 1, &event}, wait = {&kWait, 2};
  const auto query = [&](uint32_t result) { g_lower.End(ask, g_lower.Begin(ask), result); };
  const auto row = [] { return reinterpret_cast<CallRecord*>(Held(*t_log)); };
  const auto ask_five = [&] {
    for (int i = 0; i < 5; ++i) query(600);
    query(0);
  };
  ExpectRows({-1, -40, -1}, ask_five);
  EXPECT_EQ(row(), nullptr);
  query(600);
  query(600);
  EXPECT_NE(row(), nullptr) << "the second one";
  // After a pause, at its longest, behind another result or another record, a new row begins.
  const auto ask_in_rows = [&] {
    for (int i = 0; i < 3; ++i) query(600);
    if (row() != nullptr) row()->end -= open_calls::kRowPause + 1;
    for (int i = 0; i < 2; ++i) query(600);
    if (row() != nullptr) row()->begin -= open_calls::kRowLength;
    query(600);
    query(700);
    EmitText(*t_log, RecordKind::kName, 77, 0, 0, 0, "n", 1);
    query(700);
    g_lower.End(wait, g_lower.Begin(wait), 0);
  };
  ExpectRows({-1, -20, -20, -10, -10, -10, -1}, ask_in_rows);
  EXPECT_EQ(AllLosses(), 0u);
}

// No record tells of a range that was only begun: a row that went on would lie half in it.
TEST_F(CallLogs, ARangeEndsARowOfQueries) {
  const int event = 0;
  const WatchedCall ask = {&kAsk, 1, &event};
  const auto query = [&] { g_lower.End(ask, g_lower.Begin(ask), 600); };
  const auto ask_in_rows = [&] {
    uint32_t name = 0;
    {
      HookScope scope;
      name = NameId(scope.log(), "inner");  // so that no record defines it later
    }
    for (int i = 0; i < 3; ++i) query();
    {
      HookScope scope;
      PushRange(scope.log(), 1, name, 0);
    }
    for (int i = 0; i < 4; ++i) query();
    {
      HookScope scope;
      PopRange(scope.log(), 0, Ticks());
    }
    for (int i = 0; i < 2; ++i) query();
  };
  ExpectRows({-1, -20, -40, -20}, ask_in_rows);
}

TEST_F(CallLogs, ACallBearsNothingWhereThereIsNoStack) {
  TakeStacksOf(UINT32_MAX, [](ThreadLog&) -> uint32_t { return 0; });
  const WatchedCall wait = {&kWait, 1};
  g_lower.End(wait, g_lower.Begin(wait), 0);
  EXPECT_EQ(StacksOfCalls(), (std::vector<int64_t>{-1}));
}

TEST_F(CallLogs, StacksAreOffUntilTheyAreTurnedOnAndOffAgain) {
  const WatchedCall wait = {&kWait, 1};
  const auto call = [&] { g_lower.End(wait, g_lower.Begin(wait), 0); };
  call();
  TakeStacksOf(UINT32_MAX, TakeNextStack);
  call();
  const uint64_t begun = g_lower.Begin(wait);  // open while they are turned off
  TakeStacksOf(0, nullptr);
  g_lower.End(wait, begun, 0);
  call();
  EXPECT_EQ(StacksOfCalls(), (std::vector<int64_t>{-1, 100, 101, -1}));
}

std::atomic<int> g_visits;

TEST_F(CallLogs, TheNextCallThatSucceedsWakesTheHelperOnce) {
  ASSERT_TRUE(StartHelper(kLower, "test", [] {
    ++g_visits;
    return kAtTheBell;
  }));
  const auto await = [](int visits) {
    while (g_visits < visits) std::this_thread::yield();
  };
  await(1);
  const WatchedCall launch = {&kLaunch, 1}, wait = {&kWait, 2};
  const auto call = [](const WatchedCall& what, uint32_t result) {
    g_lower.End(what, g_lower.Begin(what), result);
  };
  call(launch, 0);
  g_lower.WakeHelperAtCall();
  call(launch, 1);
  EXPECT_TRUE(g_lower.WakesHelperAtCall()) << "it failed";
  call(wait, 0);
  await(2);
  EXPECT_FALSE(g_lower.WakesHelperAtCall());
  call(launch, 0);
  g_lower.WakeHelperAtCall();
  call(launch, 0);
  await(3);
  EXPECT_EQ(g_visits, 3);
  EndHelpers();
  while (HelperRuns(kLower)) std::this_thread::yield();
  ForgetHelpers();
}

TEST_F(CallLogs, WhatIsLaunchedTooLateIsLostAndWaitsAreNot) {
  static constinit CallLog<kLower> log;
  log.CountLaunchesAsLost();
  const WatchedCall launch = {&kLaunch, 1}, wait = {&kWait, 2};
  for (const WatchedCall* what : {&launch, &wait, &launch}) log.End(*what, log.Begin(*what), 0);
  EXPECT_EQ(Losses(kLoss_gpu_unfinished), 2u);
}

TEST_F(CallLogs, AfterAPauseWorkBearsItsStackTooAndNowAndThen) {
  TakeStacksOf(Roles(CallRole::kSynchronizeQueue), TakeNextStack, true);
  const WatchedCall launch = {&kLaunch, 1}, wait = {&kWait, 2}, ask = {&kAsk, 3};
  const auto call = [](const WatchedCall& what) { g_lower.End(what, g_lower.Begin(what), 0); };
  const auto was_at = [](uint64_t worked_ago, uint64_t stack_ago) {
    const uint64_t now = Ticks();
    t_log->worked_at = now - worked_ago;
    t_log->stack_at = now - stack_ago;
    t_log->stacks_rest = 0;
  };
  call(launch);  // the first
  was_at(0, 0);
  call(launch);
  was_at(kPauseTicks + 1, 0);
  call(ask);  // gives no work
  call(launch);
  was_at(0, kStackStaleTicks + 1);
  call(launch);
  was_at(0, kStackStaleTicks + 1);
  call(wait);
  call(launch);  // soon after the wait's
  EXPECT_EQ(StacksOfCalls(), (std::vector<int64_t>{100, -1, -1, 101, 102, 103, -1}));
  was_at(kPauseTicks + 1, kStackStaleTicks + 1);
  TakeStacksOf(Roles(CallRole::kSynchronizeQueue), TakeNextStack);
  call(launch);
  EXPECT_EQ(StacksOfCalls().back(), -1);
}

TEST_F(CallLogs, AfterANewStackOrNoneWorkRestsFromStacks) {
  static uint32_t next;
  const TakeStack take = [](ThreadLog&) -> uint32_t {
    ++g_stacks_taken;
    return next;
  };
  const WatchedCall launch = {&kLaunch, 1}, wait = {&kWait, 2};
  g_lower.End(launch, g_lower.Begin(launch), 0);  // the thread has a log from here on
  TakeStacksOf(Roles(CallRole::kSynchronizeQueue), take, true);
  const auto call = [](const WatchedCall& what) {
    t_log->worked_at = 0;  // a long pause
    g_lower.End(what, g_lower.Begin(what), 0);
  };
  next = 0;
  for (int i = 0; i < 10; ++i) call(launch);
  EXPECT_EQ(g_stacks_taken, 1u) << "there is none";
  next = 5;
  t_log->stacks_rest = 0;
  for (int i = 0; i < 10; ++i) call(launch);
  EXPECT_EQ(g_stacks_taken, 2u) << "a new one";
  t_log->stacks_rest = 0;
  for (int i = 0; i < 10; ++i) call(launch);
  EXPECT_EQ(g_stacks_taken, 12u) << "a known one";
  t_log->stacks_rest = UINT64_MAX;
  call(wait);
  EXPECT_EQ(g_stacks_taken, 13u) << "waits do not rest";
}

TEST_F(CallLogs, ArgumentsAndStackGoTogether) {
  TakeStacksOf(UINT32_MAX, TakeNextStack);
  const WatchedCall send = {&kSend, 1};
  const Sent sent = {4096, 7};
  g_upper.End(send, g_upper.Begin(send), 0, {&kSentSchema, &sent});
  EXPECT_EQ(StacksOfCalls(), (std::vector<int64_t>{100}));
  const auto calls = ReadRecords(RecordKind::kCall);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].arguments.size(), sizeof(sent));
}

}  // namespace
}  // namespace syncline::test
