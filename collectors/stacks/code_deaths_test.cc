// SPDX-License-Identifier: Apache-2.0
// Deaths of made-up code are counted before its memory is free, whoever else looks at them.
#include "collectors/stacks/code_deaths.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "collectors/stacks/fake_python.h"

namespace syncline::stacks {
namespace {

// As Python does.
void Drop(FakePython& fake, void* code) {
  const Dealloc dealloc = __atomic_load_n(fake.dealloc(), __ATOMIC_RELAXED);
  dealloc(code);
}

// Two codes that do not share a slot.
class CodeDeaths : public ::testing::Test {
 protected:
  bool Counts() { return CountsDeaths(fake.python.code_type); }

  FakePython fake{0x30b};
  std::vector<char> room_ = std::vector<char>(4 * kShortestCode);
  char* code_ = room_.data();
  char* other_ = room_.data() + 2 * kShortestCode;
};

TEST_F(CodeDeaths, AreCountedInTheirSlotBeforeTheMemoryIsFree) {
  ASSERT_TRUE(Counts());
  const uint32_t before = DeathsAt(code_), others = DeathsAt(other_);
  const uint64_t fingerprint = FingerprintOf(code_), of_other = FingerprintOf(other_);
  Drop(fake, code_);
  EXPECT_EQ(DeathsAt(code_), before + 1);
  EXPECT_EQ(g_fake_deaths, before + 1);
  EXPECT_EQ(DeathsAt(other_), others);
  EXPECT_NE(FingerprintOf(code_), fingerprint);
  EXPECT_EQ(FingerprintOf(other_), of_other);
}

TEST_F(CodeDeaths, AreWatchedByOneFunctionHoweverOftenThatIsAskedFor) {
  ASSERT_TRUE(Counts());
  const Dealloc ours = *fake.dealloc();
  EXPECT_NE(ours, FakePython::Free);
  const uint32_t before = DeathsAt(code_);
  EXPECT_TRUE(Counts());
  EXPECT_TRUE(CountDeathsFromNowOn(fake.python.code_type));
  EXPECT_EQ(*fake.dealloc(), ours);
  FakePython second(0x30d);
  EXPECT_TRUE(CountsDeaths(second.python.code_type));
  EXPECT_EQ(*second.dealloc(), ours) << "it calls the same one";
  EXPECT_NE(DeathsAt(code_), before) << "what was not watched may have died";
}

TEST_F(CodeDeaths, ThatWereNotSeenForgetAll) {
  ASSERT_TRUE(Counts());
  const Dealloc ours = *fake.dealloc();
  const uint64_t fingerprint = FingerprintOf(code_);
  *fake.dealloc() = FakePython::Free;  // put back
  Drop(fake, code_);
  EXPECT_EQ(FingerprintOf(code_), fingerprint);
  EXPECT_TRUE(Counts());
  EXPECT_EQ(*fake.dealloc(), ours);
  EXPECT_NE(FingerprintOf(code_), fingerprint);
}

Dealloc g_saved;
int g_passed;
void Tool(void* code) {
  ++g_passed;
  g_saved(code);
}

// It saved ours, so each calls the other once.
TEST_F(CodeDeaths, AreCountedBeforeAndBehindAnotherTool) {
  ASSERT_TRUE(Counts());
  const Dealloc first = *fake.dealloc();
  g_saved = first;
  g_passed = 0;
  for (int i = 0; i < 3; ++i) {  // it comes and goes
    *fake.dealloc() = Tool;
    ASSERT_TRUE(Counts());
    EXPECT_NE(*fake.dealloc(), Tool);
    const uint32_t before = DeathsAt(code_);
    Drop(fake, code_);
    EXPECT_GT(DeathsAt(code_), before);
    EXPECT_EQ(g_passed, i + 1);
    *fake.dealloc() = g_saved;
    EXPECT_TRUE(Counts());
    EXPECT_EQ(*fake.dealloc(), first);
  }
}

// In a process of its own: functions of ours that are used up stay so.
TEST_F(CodeDeaths, AreNotKnownBehindToolsWithoutEnd) {
  const auto try_all = [this] {
    bool counts = true;
    const Dealloc tools[] = {[](void*) { g_passed = 1; }, [](void*) { g_passed = 2; },
                             [](void*) { g_passed = 3; }, [](void*) { g_passed = 4; },
                             [](void*) { g_passed = 5; }};
    for (const Dealloc tool : tools) {
      *fake.dealloc() = tool;
      counts = Counts();
    }
    std::exit(!counts && *fake.dealloc() == tools[4] ? 0 : 1);  // it is left alone
  };
  EXPECT_EXIT(try_all(), ::testing::ExitedWithCode(0), "");
  *fake.dealloc() = nullptr;
  EXPECT_FALSE(Counts());
}

// Threads make keys of code that lives while other threads' code dies in the slots beside, and a
// tool takes ours away all the time.
TEST_F(CodeDeaths, OnManyThreadsForgetNoOther) {
  ASSERT_TRUE(Counts());
  constexpr int kRounds = 20000;
  const uint32_t before = DeathsAt(other_);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int round = 0; round < kRounds; ++round) {
        EXPECT_TRUE(Counts());
        Drop(fake, other_);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(DeathsAt(other_), before + 4 * kRounds);
  threads.clear();
  threads.emplace_back([this] {
    for (int round = 0; round < 1000; ++round)
      __atomic_store_n(fake.dealloc(), &FakePython::Free, __ATOMIC_RELEASE);
  });
  threads.emplace_back([this] {
    for (int round = 0; round < 1000; ++round) EXPECT_TRUE(Counts());
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(Counts());
  EXPECT_NE(*fake.dealloc(), FakePython::Free);
}

int g_in_data = 1;
const int kInReadOnlyData = 1;

TEST(CodeType, HasToBeInDataOfAModule) {
  EXPECT_TRUE(IsInWritableData(&g_in_data));
  EXPECT_FALSE(IsInWritableData(&kInReadOnlyData));
  const auto heap = std::make_unique<int>();
  EXPECT_FALSE(IsInWritableData(heap.get()));
}

}  // namespace
}  // namespace syncline::stacks
