// SPDX-License-Identifier: Apache-2.0
// Each stack is compared with what the compiler's own unwinder says (backtrace()).
#include "collectors/stacks/native_walk.h"

#include <alloca.h>
#include <execinfo.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "collectors/stacks/stack_memory.h"

namespace syncline::stacks {
namespace {

constexpr size_t kMost = 256;
// What a handler may write.
int g_compared, g_different;
size_t g_frames;
WalkRoom* g_room = new WalkRoom();
NativeFrame g_by_rules[kMost], g_by_recipes[kMost];
void* g_told[kMost];

// Its own frame is the first of backtrace()'s alone, behind that of a sanitizer's backtrace().
__attribute__((noinline)) void Compare() {
  Registers registers;
  TakeRegisters(&registers);
  g_room->recipes = {};
  g_room->memory.Begin({});
  const auto [count, code, whole] = WalkNative(registers, g_room, g_by_rules, kMost);
  const NativeWalk again = WalkNative(registers, g_room, g_by_recipes, kMost);
  const auto told = static_cast<size_t>(backtrace(g_told, kMost));
  const size_t own = told - count;
  bool same =
      whole && again.whole && count == again.count && code == again.code && (own == 1 || own == 2);
  for (size_t i = 0; same && i < count; ++i)
    same = g_by_rules[i].pc == reinterpret_cast<uintptr_t>(g_told[i + own]) &&
           g_by_recipes[i].pc == g_by_rules[i].pc && g_by_recipes[i].slot == g_by_rules[i].slot;
  g_different += same ? 0 : 1;
  g_frames += count;
  ++g_compared;
}

// Keeps a call from becoming a jump or a loop.
inline int After(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

// Functions whose frames differ in kind.
__attribute__((noinline)) int Plain(int depth) {
  if (depth == 0) {
    Compare();
    return 1;
  }
  return After(Plain(depth - 1)) + 1;
}
__attribute__((noinline)) int Varying(int depth, size_t bytes) {
  auto* room = static_cast<volatile char*>(alloca(bytes));
  room[0] = static_cast<char>(depth);
  return After(depth == 0 ? Plain(1) : Varying(depth - 1, bytes * 2 + 24)) + room[0];
}
__attribute__((noinline)) int Aligned(int depth, size_t bytes) {
  alignas(64) volatile char row[64] = {};
  row[depth % 64] = 1;
  return After(Varying(depth, bytes)) + row[0];
}
__attribute__((noinline)) int Large(int depth) {
  volatile char room[100'000];
  room[0] = 1;
  room[sizeof(room) - 1] = 2;
  return After(Aligned(depth, 40)) + room[0];
}
int CompareBytes(const void* left, const void* right) {
  Plain(1);
  return *static_cast<const char*>(left) - *static_cast<const char*>(right);
}
void OnSignal(int) { Plain(2); }

class Walks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kWalksNative) GTEST_SKIP() << "only on x86-64";
    PrepareModules();
    void* first[1];
    backtrace(first, 1);  // it loads its library at its first call, which a handler may not do
    g_compared = g_different = 0;
    g_frames = 0;
  }
  void TearDown() override { EXPECT_EQ(g_different, 0); }
};

TEST_F(Walks, FindsTheCallersOfEachKindOfFunction) {
  for (int depth = 0; depth < 20; ++depth) {
    Plain(depth);
    Varying(depth % 6, 100);
    Aligned(depth % 6, 33);
    Large(depth % 6);
  }
  EXPECT_EQ(g_compared, 80);
  EXPECT_GT(g_frames, 80u * 8);
}

TEST_F(Walks, GoesThroughTheCLibrary) {
  char bytes[] = {3, 1, 2, 5, 4};
  std::qsort(bytes, sizeof(bytes), 1, CompareBytes);
  EXPECT_GT(g_compared, 3);
}

TEST_F(Walks, EndsWhereAThreadBegan) {
  std::thread([] { Plain(3); }).join();
  EXPECT_EQ(g_compared, 1);
}

TEST_F(Walks, GoesThroughSignalsToWhatTheyInterrupted) {
  struct sigaction action = {}, before = {};
  action.sa_handler = OnSignal;
  std::vector<char> other_stack(1 << 18);
  const stack_t stack = {other_stack.data(), 0, other_stack.size()};
  stack_t stack_before;
  ASSERT_EQ(sigaltstack(&stack, &stack_before), 0);
  for (const int flags : {0, SA_ONSTACK}) {
    action.sa_flags = flags;
    ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &before, nullptr);
  }
  sigaltstack(&stack_before, nullptr);
  EXPECT_EQ(g_compared, 2);
}

TEST_F(Walks, StopsAtTheMost) {
  NativeFrame frames[4] = {};
  Registers registers;
  TakeRegisters(&registers);
  g_room->memory.Begin({});
  const NativeWalk walk = WalkNative(registers, g_room, frames, 3);
  EXPECT_FALSE(walk.whole);
  EXPECT_EQ(walk.count, 3u);
  EXPECT_EQ(frames[3].pc, 0u) << "behind the most nothing is written";
}

TEST_F(Walks, StopsAtCodeWithoutTables) {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  Registers registers = {};
  TakeRegisters(&registers);
  registers.of[kReturn] = reinterpret_cast<uintptr_t>(page) + 16;
  NativeFrame frame;
  g_room->memory.Begin({});
  const NativeWalk walk = WalkNative(registers, g_room, &frame, 1);
  EXPECT_FALSE(walk.whole);
  EXPECT_EQ(walk.count, 0u);
  munmap(page, 4096);
}

TEST_F(Walks, ReadsNoMemoryThatIsNotThere) {
  Registers registers = {};
  TakeRegisters(&registers);
  for (const uint64_t wrong : {uint64_t{0}, uint64_t{8}, uint64_t{4096}, ~uint64_t{0} - 7,
                               uint64_t{1} << 47, uint64_t{0x7fffffffe000}}) {
    Registers damaged = registers;
    damaged.of[kRsp] = damaged.of[kRbp] = wrong;
    NativeFrame frames[8];
    g_room->memory.Begin({});
    EXPECT_FALSE(WalkNative(damaged, g_room, frames, 8).whole) << wrong;
  }
}

TEST(StackMemory, ReadsWhatIsThereAndNothingElse) {
  constexpr size_t kPage = 4096;
  auto* pages = static_cast<char*>(
      mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  mprotect(pages + 2 * kPage, kPage, PROT_NONE);
  const auto base = reinterpret_cast<uintptr_t>(pages);
  *reinterpret_cast<uint64_t*>(pages + 2 * kPage - 8) = 42;
  StackMemory memory;
  memory.Begin({});
  uint64_t value = 0;
  EXPECT_FALSE(memory.Read(0, &value));
  EXPECT_FALSE(memory.Read(1, &value));
  EXPECT_TRUE(memory.Read(base, &value));
  EXPECT_TRUE(memory.Read(base + 2 * kPage - 8, &value));
  EXPECT_EQ(value, 42u);
  EXPECT_FALSE(memory.Read(base + 2 * kPage, &value));
  EXPECT_FALSE(memory.Read(base + 2 * kPage - 4, &value)) << "half of it";
  EXPECT_FALSE(memory.Read(~uint64_t{0} - 3, &value));
  munmap(pages, 3 * kPage);
}

}  // namespace
}  // namespace syncline::stacks
