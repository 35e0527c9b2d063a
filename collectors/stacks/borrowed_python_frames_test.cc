// SPDX-License-Identifier: Apache-2.0
// Frames are lent while one call is under way, and to be read by other threads at any time.
#include "collectors/stacks/borrowed_python_frames.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "collectors/stacks/fake_python.h"
#include "inject/core/record.h"

namespace syncline::stacks {
namespace {

constexpr HelperCode kHelpers = {0x1000, 0x2000};

struct Destroy {
  void operator()(LentFrames* lent) const { LentFrames::Destroy(lent); }
};

class Lending : public ::testing::TestWithParam<uint16_t> {
 protected:
  void SetUp() override {
    outer_ = fake.Code("/home/me/train.py", "<module>", 1, "table");
    inner_ = fake.Code("/home/me/train.py", "step", 5, "other");
  }

  void Enter(int outer_at, int inner_at) {
    fake.innermost = nullptr;
    fake.Call(outer_, outer_at);
    fake.Call(inner_, inner_at);
  }
  uint64_t Begin(int outer_at, int inner_at, size_t most = 16) {
    Enter(outer_at, inner_at);
    return lent->Begin(fake.python, most, kHelpers);
  }

  // "step:5@4 <module>:1@8" for what is lent; "" for nothing.
  std::string Lent() const {
    LentStack stack;
    if (!lent->Look(&stack)) return "";
    std::string text;
    for (size_t i = 0; i < stack.count; ++i) {
      LentFrame frame;
      if (!lent->Frame(stack, i, &frame)) return "gone";
      text += (i == 0 ? "" : " ") + TextOf(stack, frame);
    }
    return text + (stack.cut ? " cut" : "");
  }
  std::string TextOf(const LentStack& stack, const LentFrame& frame) const {
    auto bytes = std::make_unique<char[]>(kMostCodeBytes);
    uint32_t first_line;
    if (frame.code == 0) return "lost";
    if (lent->Code(stack, frame, bytes.get(), &first_line) == 0) return "gone";
    const auto facts = ReadAt<CodeFacts>(bytes.get(), 0);
    const std::string name(bytes.get() + sizeof(facts) + facts.file_bytes, facts.name_bytes);
    return name + ":" + std::to_string(first_line) + "@" + std::to_string(frame.instruction);
  }

  FakePython fake{GetParam()};
  std::unique_ptr<LentFrames, Destroy> lent{LentFrames::Make()};
  char* outer_;
  char* inner_;
};
INSTANTIATE_TEST_SUITE_P(Versions, Lending, ::testing::Values(0x308, 0x30b, 0x30c));

TEST_P(Lending, LastsAsLongAsTheCall) {
  EXPECT_EQ(Lent(), "");
  const uint64_t call = Begin(8, 4);
  EXPECT_NE(call, 0u);
  EXPECT_EQ(Lent(), "step:5@4 <module>:1@8");
  fake.Leave();
  EXPECT_EQ(Lent(), "step:5@4 <module>:1@8") << "a copy";
  lent->End(call);
  EXPECT_EQ(Lent(), "");
  lent->End(Begin(8, 6));
  EXPECT_EQ(Lent(), "");
  const uint64_t third = Begin(8, 4);
  EXPECT_EQ(Lent(), "step:5@4 <module>:1@8") << "known from the first call";
  lent->End(third);
}

TEST_P(Lending, TheInnermostFramesAreLent) {
  const uint64_t call = Begin(8, 4, 1);
  EXPECT_EQ(Lent(), "step:5@4 cut");
  lent->End(call);
  const uint64_t deep = Begin(8, 4, 2);
  EXPECT_EQ(Lent(), "step:5@4 <module>:1@8");
  lent->End(deep);
}

TEST_P(Lending, OfTwoCallsAtOnceNothingIs) {
  const uint64_t first = Begin(8, 4);
  const uint64_t second = Begin(8, 6);
  EXPECT_EQ(Lent(), "");
  lent->End(first);
  EXPECT_EQ(Lent(), "") << "the second one was not looked at when it began";
  const uint64_t third = Begin(10, 6);
  EXPECT_EQ(Lent(), "");
  lent->End(second);
  EXPECT_EQ(Lent(), "");
  lent->End(third);
  EXPECT_EQ(Lent(), "");
  const uint64_t fourth = Begin(12, 6);
  EXPECT_EQ(Lent(), "step:5@6 <module>:1@12");
  lent->End(fourth);
}

TEST_P(Lending, GoesOnWhenACallInsideHasEnded) {
  const uint64_t outer = Begin(8, 4);
  const uint64_t inner = Begin(8, 6);
  EXPECT_EQ(Lent(), "");
  lent->End(inner);
  EXPECT_EQ(Lent(), "step:5@4 <module>:1@8");
  lent->End(outer);
  EXPECT_EQ(Lent(), "");
}

TEST_P(Lending, AThreadWithoutFramesHasNoneToLend) {
  fake.Leave();
  const uint64_t call = lent->Begin(fake.python, 16, kHelpers);
  EXPECT_NE(call, 0u);
  EXPECT_EQ(Lent(), "");
  const uint64_t other = Begin(8, 4);
  EXPECT_EQ(Lent(), "") << "that call may be the one that is worked for";
  lent->End(other);
  lent->End(call);
}

TEST_P(Lending, CodeThatIsNotAsExpectedIsALostFrame) {
  FakePython::Put(inner_, fake.python.code_name, fake.Bytes("step"));
  const uint64_t call = Begin(8, 4);
  EXPECT_EQ(Lent(), "lost <module>:1@8");
  lent->End(call);
}

TEST_P(Lending, StacksAreToldApart) {
  const auto key_of = [this](int outer_at, int inner_at, size_t most) {
    const uint64_t call = Begin(outer_at, inner_at, most);
    LentStack stack;
    EXPECT_TRUE(lent->Look(&stack));
    EXPECT_EQ(stack.helpers.begin, kHelpers.begin);
    EXPECT_EQ(stack.helpers.end, kHelpers.end);
    lent->End(call);
    return stack.key;
  };
  const uint64_t key = key_of(8, 4, 16);
  EXPECT_EQ(key_of(8, 4, 16), key);
  EXPECT_NE(key_of(8, 6, 16), key);
  EXPECT_NE(key_of(10, 4, 16), key);
  EXPECT_NE(key_of(8, 4, 1), key);
  EXPECT_NE(key, 0u);
}

// Each line is a stack of its own, and so is each of the large pieces of code.
TEST_P(Lending, AFullPoolIsBegunAgain) {
  LentStack first;
  LentFrame frame;
  const uint64_t call = Begin(8, 4);
  ASSERT_TRUE(lent->Look(&first));
  ASSERT_TRUE(lent->Frame(first, 0, &frame));
  lent->End(call);
  for (int i = 0; i < 100; ++i) {
    inner_ =
        fake.Code("/home/me/train.py", "made", static_cast<uint32_t>(i), std::string(50000, 't'));
    const uint64_t next = Begin(8, 4);
    EXPECT_EQ(Lent(), "made:" + std::to_string(i) + "@4 <module>:1@8");
    lent->End(next);
  }
  EXPECT_FALSE(lent->Frame(first, 0, &frame)) << "it is overwritten";
  char bytes[64];
  uint32_t line;
  EXPECT_EQ(lent->Code(first, {0, UINT32_MAX, 0}, bytes, &line), 0u) << "no place";
}

TEST_P(Lending, WhatDoesNotFitIsNotLent) {
  fake.innermost = nullptr;
  for (int i = 0; i < 64; ++i) {
    fake.Call(fake.Code("a.py", "f", static_cast<uint32_t>(i), std::string(50000, 't')), 4);
  }
  const uint64_t call = lent->Begin(fake.python, 64, kHelpers);
  EXPECT_EQ(Lent(), "");
  lent->End(call);
  const uint64_t less = Begin(8, 4);
  EXPECT_EQ(Lent(), "step:5@4 <module>:1@8");
  lent->End(less);
}

TEST_P(Lending, AForksChildHasNothing) {
  const uint64_t call = Begin(8, 4);
  const pid_t child = fork();
  if (child == 0) {
    bool right = Lent().empty();
    lent->End(call);  // as if it came back from the call that its parent began
    right = right && Lent().empty();
    const uint64_t own = Begin(8, 6);
    right = right && Lent() == "step:5@6 <module>:1@8";
    lent->End(call);
    right = right && Lent() == "step:5@6 <module>:1@8";
    lent->End(own);
    _exit(right && Lent().empty() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Lent(), "step:5@4 <module>:1@8");
  lent->End(call);
}

TEST_P(Lending, WhatIsForgottenDoesNotComeBack) {
  const uint64_t call = Begin(8, 4);
  lent->Forget();
  EXPECT_EQ(Lent(), "");
  lent->End(call);
  const uint64_t next = Begin(8, 6);
  EXPECT_EQ(Lent(), "step:5@6 <module>:1@8");
  lent->End(next);
}

// What readers find is one of the stacks that are lent, whole; the pool is begun again many times.
TEST_P(Lending, ReadersMeetWholeStacksOrNone) {
  std::vector<char*> codes;  // more than fit
  for (uint32_t at = 0; at < 200; at += 2)
    codes.push_back(fake.Code("a.py", "made", at, std::string(30000, 't')));
  std::atomic<bool> done{false};
  std::atomic<uint64_t> whole{0}, wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!done.load(std::memory_order_relaxed)) {
        const std::string text = Lent();
        if (text.empty() || text.find("gone") != std::string::npos) continue;
        const int at = std::stoi(text.substr(text.find('@') + 1));
        const std::string wanted = "made:" + std::to_string(at) + "@" + std::to_string(at) +
                                   " <module>:1@" + std::to_string(at);
        (text == wanted ? whole : wrong).fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
  for (int i = 0; i < 400 || whole.load(std::memory_order_relaxed) < 10; ++i) {
    const int at = i % 100 * 2;
    inner_ = codes[static_cast<size_t>(i) % 100];
    const uint64_t call = Begin(at, at);
    for (int turn = 0; i >= 400 && turn < 1000; ++turn) std::this_thread::yield();
    lent->End(call);
  }
  done.store(true, std::memory_order_relaxed);
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong.load(), 0u);
}

// Calls of several threads, whose states of Python take turns in the fake one: nothing stays.
TEST_P(Lending, CallersDoNotWaitForEachOther) {
  Enter(8, 4);
  std::atomic<uint64_t> odd{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      for (int turn = 0; turn < 2000; ++turn) {
        const uint64_t call = lent->Begin(fake.python, 16, kHelpers);
        const std::string text = Lent();
        if (!text.empty() && text != "step:5@4 <module>:1@8") odd.fetch_add(1);
        lent->End(call);
      }
    });
  }
  // Frames are this thread's: only it lends.
  for (int turn = 0; turn < 2000; ++turn) lent->End(lent->Begin(fake.python, 16, kHelpers));
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(odd.load(), 0u);
  EXPECT_EQ(Lent(), "");
  const uint64_t call = lent->Begin(fake.python, 16, kHelpers);
  EXPECT_EQ(Lent(), "step:5@4 <module>:1@8") << "no call is left over";
  lent->End(call);
}

}  // namespace
}  // namespace syncline::stacks
