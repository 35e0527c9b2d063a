// SPDX-License-Identifier: Apache-2.0
// Tests of a hook that a signal handler leaves by siglongjmp, and of one that it only interrupts.
#include <gtest/gtest.h>
#include <setjmp.h>
#include <signal.h>

#include <cstring>
#include <vector>

#include "inject/runtime/test_support.h"

namespace syncline {
namespace {

sigjmp_buf g_place;
bool g_pushed;  // in a handler

void JumpAway(int) { siglongjmp(g_place, 1); }
void Record(int) { g_pushed = Push("nested"); }

void Handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ASSERT_EQ(sigaction(signal, &action, nullptr), 0);
}

constexpr size_t kOtherBytes = 128 << 10;
alignas(16) char g_other_stack[kOtherBytes];

void UseOtherStack(char* stack = g_other_stack) {
  stack_t other = {};
  other.ss_sp = stack;
  other.ss_size = kOtherBytes;
  ASSERT_EQ(sigaltstack(&other, nullptr), 0);
}

// A hook that has done `half` of its work when the signal comes.
__attribute__((noinline)) void InsideAHook(void (*half)(ThreadLog&)) {
  HookScope scope;
  if (!scope) return;
  half(scope.log());
  raise(SIGUSR1);
}

__attribute__((noinline)) bool LeftInTheMiddle(void (*half)(ThreadLog&)) {
  if (sigsetjmp(g_place, 1) != 0) return true;
  InsideAHook(half);
  return false;
}

void Nothing(ThreadLog&) {}

// A push that has not told the depth yet.
void HalfAPush(ThreadLog& log) {
  log.stack[log.depth] = OpenRange{};
  ++log.depth;
}

char* BeginPop(ThreadLog& log) {
  char* room = Reserve(log, sizeof(RangeRecord));
  --log.depth;
  return room;
}

// A pop that has reserved room, and counted it, but not told the consumer.
void HalfAPop(ThreadLog& log) {
  BeginPop(log);
  log.head += sizeof(RangeRecord);
}

// A pop whose record is told, and whose depth is not.
void AlmostAPop(ThreadLog& log) {
  auto* record = reinterpret_cast<RangeRecord*>(BeginPop(log));
  *record = RangeRecord{};
  record->head = {static_cast<uint8_t>(RecordKind::kRange), 0, 1, 0};
  Publish(log, sizeof(RangeRecord));
}

// The hook that finds the one that was left comes first, from the caller's own frame: a far deeper
// one could not know.
void ExpectRecords(Recording& recording) {
  const uint64_t nested = recording.Lost(kLoss_nested_signal);
  const uint32_t depth = t_log->control->depth.load();  // what was told
  EXPECT_TRUE(Push("afterwards"));
  EXPECT_EQ(t_log->busy & ~kLastingBits, 0u);
  EXPECT_EQ(t_log->depth, depth + 1);
  Pop();
  EXPECT_EQ(t_log->control->depth.load(), t_log->depth);
  EXPECT_EQ(recording.Lost(kLoss_nested_signal), nested);
}

TEST(LeftByJump, OutOfAPush) {
  Recorded([](Recording& recording) {
    Handle(SIGUSR1, JumpAway, 0);
    ASSERT_TRUE(Push("outer"));
    ASSERT_TRUE(LeftInTheMiddle(HalfAPush));
    EXPECT_NE(t_log->busy & ~kLastingBits, 0u) << "the hook did not end";
    EXPECT_TRUE(Push("next"));
    EXPECT_EQ(t_log->depth, 2u) << "the half push is undone";
    Pop();
    ExpectRecords(recording);
  });
}

TEST(LeftByJump, OutOfAPopThatWasNotWritten) {
  Recorded([](Recording& recording) {
    Handle(SIGUSR1, JumpAway, 0);
    ASSERT_TRUE(Push("outer"));
    const uint64_t head = t_log->head;
    ASSERT_TRUE(LeftInTheMiddle(HalfAPop));
    {
      HookScope scope;
      ASSERT_TRUE(scope);
      EXPECT_EQ(scope.log().depth, 1u) << "the range is still open";
      EXPECT_EQ(scope.log().head, head);
    }
    Pop();
    EXPECT_EQ(recording.Lost(kLoss_unbalanced_pop), 0u);
    EXPECT_EQ(t_log->head, head + sizeof(RangeRecord));
    ExpectRecords(recording);
  });
}

TEST(LeftByJump, OutOfAPopThatWasWritten) {
  Recorded([](Recording& recording) {
    Handle(SIGUSR1, JumpAway, 0);
    ASSERT_TRUE(Push("outer"));
    ASSERT_TRUE(LeftInTheMiddle(AlmostAPop));
    EXPECT_EQ(t_log->control->depth.load(), 1u);
    {
      HookScope scope;
      ASSERT_TRUE(scope);
      EXPECT_EQ(scope.log().depth, 0u) << "or its range would be there twice";
      EXPECT_EQ(scope.log().control->depth.load(), 0u);
    }
    ExpectRecords(recording);
  });
}

TEST(LeftByJump, OutOfAHandlerOnAnAlternateStack) {
  Recorded([](Recording& recording) {
    UseOtherStack();
    Handle(SIGUSR1, JumpAway, SA_ONSTACK);
    ASSERT_TRUE(Push("outer"));
    ASSERT_TRUE(LeftInTheMiddle(HalfAPush));
    EXPECT_TRUE(Push("next"));
    Pop();
    ExpectRecords(recording);
  });
}

void RecordAndBeLeft(int) { InsideAHook(HalfAPush); }

// The hook that is left ran in a handler on the alternate stack, which may lie above or below.
__attribute__((noinline)) bool LeftOnTheOtherStack() {
  if (sigsetjmp(g_place, 1) != 0) return true;
  raise(SIGUSR2);
  return false;
}

TEST(LeftByJump, OutOfAHookOnAnAlternateStack) {
  if (kUnderTsan) GTEST_SKIP() << "ThreadSanitizer calls no handler inside another one";
  Recorded([](Recording& recording) {
    UseOtherStack();
    Handle(SIGUSR2, RecordAndBeLeft, SA_ONSTACK);
    Handle(SIGUSR1, JumpAway, SA_ONSTACK);
    ASSERT_TRUE(Push("outer"));
    ASSERT_TRUE(LeftOnTheOtherStack());
    EXPECT_TRUE(Push("next"));
    Pop();
    ExpectRecords(recording);
  });
}

__attribute__((noinline)) void ExpectNested(int flags, char* other_stack = g_other_stack) {
  Recording recording;
  UseOtherStack(other_stack);
  Handle(SIGUSR1, Record, flags);
  ASSERT_TRUE(Push("outer"));
  g_pushed = true;
  InsideAHook(Nothing);
  EXPECT_FALSE(g_pushed);
  EXPECT_EQ(recording.Lost(kLoss_nested_signal), 1u);
  EXPECT_EQ(t_log->depth, 1u);
  ExpectRecords(recording);
}

TEST(LeftByJump, AHandlerThatReturnsIsNested) {
  InOwnProcess([] { ExpectNested(0); });
}

TEST(LeftByJump, AHandlerOnAnAlternateStackIsNested) {
  InOwnProcess([] { ExpectNested(SA_ONSTACK); });
}

// Its stack lies above the hook's, as if the hook had been left.
TEST(LeftByJump, AHandlerOnAnAlternateStackAboveIsNested) {
  InOwnProcess([] {
    alignas(16) char above[kOtherBytes];
    ExpectNested(SA_ONSTACK, above);
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    EXPECT_EQ(sigaltstack(&none, nullptr), 0);
  });
}

void PopInHandler(int) { Pop(); }

TEST(LeftByJump, ANestedPopIsNoLoss) {
  Recorded([](Recording& recording) {
    Handle(SIGUSR1, PopInHandler, 0);
    ASSERT_TRUE(Push("outer"));
    InsideAHook(Nothing);
    EXPECT_EQ(recording.Lost(kLoss_nested_signal), 0u);
    EXPECT_EQ(t_log->depth, 1u);
  });
}

}  // namespace
}  // namespace syncline
