// SPDX-License-Identifier: Apache-2.0
// The process's registry: tables that grow under many threads, memory for texts, handles that are
// not ours.
#include "collectors/nvtx/registry.h"

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "collectors/nvtx/test_client.h"
#include "inject/core/arena.h"

namespace syncline::nvtx {
namespace {

TEST(AppendTable, KeepsEntriesInPlaceWhileItGrows) {
  static AppendTable<uint64_t> table;
  std::vector<uint64_t*> entries;
  for (uint64_t i = 0; i < 10000; ++i) {
    uint32_t index = kNoIndex;
    uint64_t* entry = table.Claim(&index);
    ASSERT_NE(entry, nullptr);
    ASSERT_EQ(index, i);
    ASSERT_EQ(*entry, 0u);
    ASSERT_EQ(table.At(index), nullptr);  // not published yet
    *entry = i;
    table.Publish(index);
    entries.push_back(entry);
  }
  for (uint32_t i = 0; i < 10000; ++i) {
    ASSERT_EQ(table.At(i), entries[i]);
    ASSERT_EQ(*table.At(i), i);
  }
  EXPECT_EQ(table.At(10000), nullptr);
  EXPECT_EQ(table.At(kNoIndex), nullptr);
  EXPECT_EQ(table.count(), 10000u);
}

TEST(AppendTable, GivesEachThreadItsOwnEntries) {
  static AppendTable<uint64_t> table;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (uint64_t i = 0; i < 5000; ++i) {
        uint32_t index = kNoIndex;
        *table.Claim(&index) = t * 5000 + i + 1;
        table.Publish(index);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<uint64_t> seen;
  for (uint32_t i = 0; i < 20000; ++i) seen.insert(*table.At(i));
  EXPECT_EQ(seen.size(), 20000u);
  EXPECT_EQ(*seen.rbegin(), 20000u);
}

TEST(Arena, NeverGivesTheSameMemoryTwice) {
  std::vector<std::vector<const char*>> texts(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([t, &texts] {
      for (size_t i = 0; i < 2000; ++i) {
        const std::string text(1 + (i * 37 + t) % 300 + (i % 500 == 0 ? 40000 : 0),
                               static_cast<char>('a' + t));
        texts[t].push_back(ArenaCopy(text.c_str(), text.size()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 0; t < 4; ++t) {
    for (size_t i = 0; i < 2000; ++i) {
      const std::string text(1 + (i * 37 + t) % 300 + (i % 500 == 0 ? 40000 : 0),
                             static_cast<char>('a' + t));
      ASSERT_EQ(texts[t][i], text);
    }
  }
}

TEST(Arena, RefusesMoreThanItsLimit) { EXPECT_EQ(ArenaAllocate(kMaxArenaBytes + 1), nullptr); }

TEST(Registry, KnowsItsHandlesFromOthers) {
  void* domain = CreateDomain("d", 1);
  void* string = RegisterString(0, "s", 1);
  EXPECT_NE(DomainNumber(domain), kNoIndex);
  EXPECT_EQ(DomainNumber(nullptr), 0u);
  EXPECT_EQ(DomainNumber(string), kNoIndex);
  EXPECT_EQ(FindString(domain), nullptr);
  EXPECT_EQ(FindDomain(nullptr), nullptr);
  for (const uintptr_t garbage :
       {uintptr_t{1}, uintptr_t{0xdeadbeef}, ~uintptr_t{0}, kHandleTag,
        reinterpret_cast<uintptr_t>(domain) + 1000000, reinterpret_cast<uintptr_t>(&domain)}) {
    EXPECT_EQ(FindDomain(reinterpret_cast<void*>(garbage)), nullptr) << garbage;
    EXPECT_EQ(FindString(reinterpret_cast<void*>(garbage)), nullptr) << garbage;
  }
}

TEST(Registry, FindsAStringAgainInItsDomainOnly) {
  EXPECT_EQ(RegisterString(1, "same", 4), RegisterString(1, "same", 4));
  EXPECT_NE(RegisterString(1, "same", 4), RegisterString(2, "same", 4));
  EXPECT_NE(RegisterString(1, "same", 4), RegisterString(1, "Same", 4));
  for (int i = 0; i < 20000; ++i) {
    const std::string text = "string " + std::to_string(i);
    void* handle = RegisterString(3, text.c_str(), text.size());
    ASSERT_EQ(RegisterString(3, text.c_str(), text.size()), handle);
    ASSERT_EQ(std::string(FindString(handle)->text.data), text);
  }
}

TEST(Registry, ServesManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<std::vector<void*>> handles(4);
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([t, &handles] {
      for (int i = 0; i < 2000; ++i) {
        const std::string text = "shared " + std::to_string(i);
        handles[t].push_back(RegisterString(4, text.c_str(), text.size()));
        NameCategory(4, static_cast<uint32_t>(i % 10), text.c_str(), text.size());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 0; t < 4; ++t) {
    for (size_t i = 0; i < 2000; ++i) {
      ASSERT_EQ(std::string(FindString(handles[t][i])->text.data), "shared " + std::to_string(i));
    }
  }
}

// After all others: nothing more can be defined in this process then.
TEST(RegistryWhenFull, CountsWhatItCannotKeepAndStillGivesDomains) {
  test::ResetSession();
  const std::string text(1 << 20, 'x');
  while (ArenaCopy(text.c_str(), text.size()) != nullptr) {
  }
  EXPECT_EQ(RegisterString(9, text.c_str(), text.size()), nullptr);
  EXPECT_EQ(test::Losses(kLoss_definition), 1u);
  nvtxDomainHandle_t domain = nvtxDomainCreateA(text.c_str());
  EXPECT_NE(domain, nullptr);
  EXPECT_EQ(test::Losses(kLoss_definition), 2u);
  const nvtxEventAttributes_t attributes = test::Attributes("in a domain without a name");
  EXPECT_EQ(nvtxDomainRangePushEx(domain, &attributes), 0);
  EXPECT_EQ(nvtxDomainRangePop(domain), 0);
}

}  // namespace
}  // namespace syncline::nvtx
