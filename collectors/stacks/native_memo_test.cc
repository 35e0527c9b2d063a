// SPDX-License-Identifier: Apache-2.0
// What the memo tells is what a walk finds.
#include "collectors/stacks/native_memo.h"

#include <alloca.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace syncline::stacks {
namespace {

class Memo : public ::testing::Test {
 protected:
  void SetUp() override {
    memo_->Begin();
    if (!kWalksNative) GTEST_SKIP() << "only on x86-64";
    PrepareModules();
  }

  // The frames of this function's callers by the memo and by a walk.
  __attribute__((noinline)) void Look(size_t most = 200) {
    Registers registers;
    TakeRegisters(&registers);
    const auto* slot = static_cast<const uint64_t*>(__builtin_frame_address(0)) + 1;
    stack_ = memo_->Take(registers, slot, most);
    if (looks_ % 8 == 0) room_->recipes = {};  // else recipes alone would be compared
    room_->memory.Begin({});
    const auto [count, code, whole] = WalkNative(registers, room_.get(), walked_, most);
    ++looks_;
    bool same = stack_.count == count && stack_.cut == !whole;
    for (size_t i = 0; same && i < count; ++i)
      same = stack_.frames[i].pc == walked_[i].pc && stack_.frames[i].slot == walked_[i].slot;
    wrong_ += same ? 0 : 1;
  }
  __attribute__((noinline)) int Through(uint32_t way, size_t bytes) {
    auto* room = static_cast<volatile char*>(alloca(bytes));
    room[0] = 1;
    if (way < 2) {
      Look();
      return room[0];
    }
    // Two calls, so that one place on the stack has callers that differ.
    return (way % 2 == 0 ? Through(way / 2, bytes) : Through(way / 2, bytes)) + room[0];
  }

  std::unique_ptr<NativeMemo> memo_{new NativeMemo()};
  std::unique_ptr<WalkRoom> room_{new WalkRoom()};
  NativeStack stack_;
  NativeFrame walked_[NativeMemo::kMost];
  int looks_ = 0, wrong_ = 0;
};

TEST_F(Memo, TellsWhatAWalkFinds) {
  std::mt19937 random(1);
  for (int i = 0; i < 50'000; ++i) Through(random() % 256, 16 * (1 + random() % 2));
  EXPECT_EQ(looks_, 50'000);
  EXPECT_EQ(wrong_, 0);
}

TEST_F(Memo, GivesWhatItKeptForTheSameStackAlone) {
  const NativeFrame* frames[3];
  uint64_t hashes[3];
  for (int i = 0; i < 3; ++i) {
    // The same line, so that the stack is the same.
    Look();
    frames[i] = stack_.frames;
    hashes[i] = stack_.hash;
  }
  EXPECT_EQ(frames[0], frames[1]);
  EXPECT_EQ(frames[1], frames[2]);
  EXPECT_EQ(hashes[0], hashes[2]);
  Look();
  EXPECT_NE(stack_.hash, hashes[0]) << "of another line";
  EXPECT_EQ(wrong_, 0);
}

TEST_F(Memo, WalksAgainNowAndThen) {
  const NativeFrame* first = nullptr;
  uint32_t moved = 0;
  for (uint32_t i = 0; i < 4 * NativeMemo::kAudit; ++i) {
    Look();
    moved += i != 0 && stack_.frames != first ? 1 : 0;
    first = stack_.frames;
  }
  EXPECT_EQ(moved, 4u);
}

std::function<void()> g_in_handler;

TEST_F(Memo, KeepsNothingThatGoesThroughASignal) {
  const NativeFrame* frames[3] = {};
  int taken = 0;
  g_in_handler = [&] {
    Look();
    frames[taken++] = stack_.frames;
  };
  struct sigaction action = {}, before;
  action.sa_handler = [](int) { g_in_handler(); };
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
#pragma GCC unroll 1
  for (int i = 0; i < 3; ++i) raise(SIGUSR1);
  sigaction(SIGUSR1, &before, nullptr);
  ASSERT_EQ(taken, 3);
  EXPECT_NE(frames[0], frames[1]);
  EXPECT_NE(frames[1], frames[2]);
  EXPECT_EQ(wrong_, 0);
}

TEST_F(Memo, CutsAtTheMost) {
  Look(2);
  EXPECT_TRUE(stack_.cut);
  EXPECT_EQ(stack_.count, 2u);
  Look(0);
  EXPECT_EQ(stack_.count, 0u);
  EXPECT_EQ(wrong_, 0);
}

}  // namespace
}  // namespace syncline::stacks
