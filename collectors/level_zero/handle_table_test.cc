// SPDX-License-Identifier: Apache-2.0
// The tables forget what is gone, and threads do not lose what is there.
#include "collectors/level_zero/handle_table.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "collectors/level_zero/slab.h"

namespace syncline::level_zero {
namespace {

struct Thing {
  int value = 7;
};

const void* Handle(uintptr_t number) { return reinterpret_cast<const void*>(number * 16); }

TEST(HandleTable, KnowsWhatWasInsertedAndNotErased) {
  HandleTable<Thing, 1024> table;
  EXPECT_EQ(table.Find(Handle(1)), nullptr);
  ASSERT_NE(table.Insert(Handle(1)), nullptr);
  table.Find(Handle(1))->value = 1;
  EXPECT_EQ(table.Insert(nullptr), nullptr);
  EXPECT_EQ(table.Find(Handle(1))->value, 1);
  EXPECT_EQ(table.Insert(Handle(1))->value, 7) << "a handle that comes again is a new object";
  table.Erase(Handle(1));
  EXPECT_EQ(table.Find(Handle(1)), nullptr);
}

// A week of objects that come and go, as many as fit at any time.
TEST(HandleTable, DoesNotFillWithWhatIsGone) {
  HandleTable<Thing, 256> table;
  for (uintptr_t i = 1; i < 100'000; ++i) {
    ASSERT_NE(table.Insert(Handle(i)), nullptr) << i;
    if (i > 64) table.Erase(Handle(i - 64));
  }
}

TEST(HandleTable, SaysWhenThereIsNoRoom) {
  HandleTable<Thing, 64> table;
  size_t kept = 0;
  for (uintptr_t i = 1; i <= 200; ++i) kept += table.Insert(Handle(i)) != nullptr;
  EXPECT_EQ(kept, 64u);
  size_t visited = 0;
  table.Each([&visited](void*, Thing*) { ++visited; });
  EXPECT_EQ(visited, 64u);
}

TEST(HandleTable, ThreadsDoNotLoseEachOthersObjects) {
  static HandleTable<Thing, 8192> table;
  std::vector<std::thread> threads;
  std::atomic<int> missing{0};
  for (uintptr_t t = 0; t < 4; ++t) {
    threads.emplace_back([t, &missing] {
      for (uintptr_t i = 1; i <= 20'000; ++i) {
        const void* handle = Handle(t * 1'000'000 + i);
        if (table.Insert(handle) == nullptr || table.Find(handle) == nullptr) ++missing;
        table.Erase(handle);
        if (table.Find(handle) != nullptr) ++missing;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(missing, 0);
}

// Threads that make the first list of a context at once share what is known of the context.
TEST(HandleTable, GivesThreadsThatComeAtOnceTheSameObject) {
  static HandleTable<std::atomic<int>, 8192> table;
  constexpr uintptr_t kHandles = 4000;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (uintptr_t i = 1; i <= kHandles; ++i) table.FindOrTake(Handle(i))->fetch_add(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (uintptr_t i = 1; i <= kHandles; ++i) EXPECT_EQ(*table.Find(Handle(i)), 4) << i;
}

struct Element {
  std::atomic<uint32_t> next;
  std::atomic<int> owners;
};

TEST(Slab, GivesAnElementToOneAtATime) {
  static Slab<Element, 64> slab;
  std::vector<std::thread> threads;
  std::atomic<int> shared{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&shared] {
      for (int i = 0; i < 50'000; ++i) {
        const uint32_t taken = slab.Take();
        if (taken == kNone) continue;
        if (slab[taken].owners.fetch_add(1) != 0) ++shared;
        slab[taken].owners.fetch_sub(1);
        slab.GiveBack(taken);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shared, 0);
  std::set<uint32_t> all;
  for (uint32_t taken = slab.Take(); taken != kNone; taken = slab.Take()) all.insert(taken);
  EXPECT_EQ(all.size(), 64u) << "each once, and no more than there are";
}

}  // namespace
}  // namespace syncline::level_zero
