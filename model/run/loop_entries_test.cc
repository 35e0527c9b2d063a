// SPDX-License-Identifier: Apache-2.0
// When a loop counts as entered.
#include "model/run/loop_entries.h"

#include <gtest/gtest.h>

#include <deque>

namespace syncline {
namespace {

class LoopEntriesTest : public ::testing::Test {
 protected:
  struct At {
    uint32_t line;
    const char* function;
  };
  // The innermost first.
  const OwnFrames* Stack(std::initializer_list<At> frames) {
    CodeStack& stack = stacks_.emplace_back();
    for (const At& one : frames)
      stack.frames.push_back(&frames_.emplace_back(CodeStack::Frame{
          FrameKind::kPython, "entries.py", one.function, one.line, {}, false, 0}));
    return &places_.PathOf(&stack);
  }
  std::optional<uint64_t> Longest() const {
    return entries_.LongestInto({"entries.py", "train", 12, ""}, {10, 14});
  }

  const OwnCode own_{"/", ""};
  CodeLocations places_{own_};
  LoopEntries entries_{places_};
  std::deque<CodeStack::Frame> frames_;
  std::deque<CodeStack> stacks_;
};

TEST_F(LoopEntriesTest, TheLongestOfAll) {
  EXPECT_FALSE(Longest());
  const OwnFrames* const body = Stack({{12, "train"}, {40, "<module>"}});
  entries_.Note(Stack({{39, "<module>"}}), body, 300);
  entries_.Note(Stack({{9, "train"}, {40, "<module>"}}), body, 500);
  entries_.Note(Stack({{15, "train"}, {40, "<module>"}}), body, 400);
  entries_.Note(Stack({{39, "<module>"}}), body, 200);
  EXPECT_EQ(Longest(), 500u);
}

TEST_F(LoopEntriesTest, NotFromOnePassToTheNext) {
  const OwnFrames* const body = Stack({{12, "train"}, {40, "<module>"}});
  entries_.Note(Stack({{13, "train"}, {40, "<module>"}}), body, 300);
  entries_.Note(Stack({{3, "f"}, {14, "train"}, {40, "<module>"}}), body, 300);
  entries_.Note(Stack({{2, "batches"}, {10, "train"}, {40, "<module>"}}), body, 300);
  EXPECT_FALSE(Longest()) << "what makes the loop's next value has begun";
  entries_.Note(Stack({{39, "<module>"}}), Stack({{9, "train"}, {40, "<module>"}}), 300);
  EXPECT_FALSE(Longest()) << "not yet in the loop";
}

TEST_F(LoopEntriesTest, NotFromAStackThatLostItsBegin) {
  const OwnFrames* const body = Stack({{12, "train"}, {40, "<module>"}});
  entries_.Note(Stack({{3, "f"}}), body, 300);
  EXPECT_FALSE(Longest());
}

}  // namespace
}  // namespace syncline
