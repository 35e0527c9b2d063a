// SPDX-License-Identifier: Apache-2.0
// Where a thread stands in its stack: the first one's, and one's of a size of its own.
#include "collectors/python/half_stack.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>

namespace syncline::python {
namespace {

constexpr size_t kStackBytes = size_t{1} << 20;

// Whether more than half is used with at least so many bytes below the caller.
__attribute__((noinline)) bool IsHalfUsedBelow(size_t bytes) {
  volatile char page[4096];
  page[0] = 1;
  const bool half = bytes > sizeof(page) ? IsHalfUsedBelow(bytes - sizeof(page)) : IsHalfUsed();
  return half && page[0] == 1;
}

void* OnSmallStack(void* result) {
  auto* right = static_cast<bool*>(result);
  *right = !IsHalfUsed() && !IsHalfUsedBelow(kStackBytes / 4) &&
           IsHalfUsedBelow(kStackBytes * 3 / 4) && !IsHalfUsed();
  return nullptr;
}

TEST(HalfStackTest, IsTheThreadsOwn) {
  PrepareHalfStack();
  EXPECT_FALSE(IsHalfUsed());
  EXPECT_FALSE(IsHalfUsedBelow(kStackBytes));
  for (int turn = 0; turn < 3; ++turn) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    pthread_t thread;
    bool right = false;
    ASSERT_EQ(pthread_create(&thread, &attributes, OnSmallStack, &right), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    EXPECT_TRUE(right);
  }
}

}  // namespace
}  // namespace syncline::python
