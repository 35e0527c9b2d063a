// SPDX-License-Identifier: Apache-2.0
// Where a thread stands in its stack: the first one's, and those of threads that come and go, with
// stacks of other sizes and perhaps the numbers of those before.
#include "collectors/python/half_stack.h"

#include <alloca.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>

namespace syncline::python {
namespace {

// With so many bytes between the caller and the question.
__attribute__((noinline)) bool IsHalfUsedBelow(uint64_t state, size_t bytes) {
  auto* room = static_cast<volatile char*>(alloca(bytes));
  room[0] = 1;
  return IsHalfUsed(state) && room[0] == 1;
}

struct Asked {
  uint64_t state;
  bool right;
};

// Whoever comes after a thread that has ended may get its stack, which is larger than asked for.
size_t StackBytes() {
  pthread_attr_t attributes;
  size_t bytes = 0;
  void* low;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

void* OnThread(void* argument) {
  auto* asked = static_cast<Asked*>(argument);
  const uint64_t state = asked->state;
  const size_t bytes = StackBytes();
  asked->right = !IsHalfUsed(state) && !IsHalfUsedBelow(state, bytes / 4) &&
                 IsHalfUsedBelow(state, bytes / 8 * 5) && !IsHalfUsed(state);
  return nullptr;
}

TEST(HalfStackTest, IsTheThreadsOwn) {
  PrepareHalfStack();
  EXPECT_FALSE(IsHalfUsed(1));
  EXPECT_FALSE(IsHalfUsedBelow(1, size_t{256} << 10));
  uint64_t state = 1;
  // More than the C library keeps for the next ones.
  for (const size_t mib : {1, 64, 1, 128, 2, 1, 64, 1}) {
    Asked asked = {++state, false};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, mib << 20);
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, &attributes, OnThread, &asked), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    EXPECT_TRUE(asked.right) << mib << " MiB";
  }
}

TEST(HalfStackTest, ThreadsThatShareASetAreEachKnown) {
  PrepareHalfStack();
  for (int turn = 0; turn < 4; ++turn) {
    for (const uint64_t state : {7u, 7u + 256, 7u + 512}) EXPECT_FALSE(IsHalfUsed(state));
  }
}

}  // namespace
}  // namespace syncline::python
