// SPDX-License-Identifier: Apache-2.0
// Slots of this program and of the C++ library are found, and calls go where they are told to.
#include "inject/core/got_slots.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <vector>

namespace syncline::test {
namespace {

std::vector<GotSlot> g_found;
size_t g_most;
const char* g_object;  // of the last getppid

bool WantsGetppid(const char* name) { return std::strcmp(name, "getppid") == 0; }
bool WantsMalloc(const char* name) { return std::strcmp(name, "malloc") == 0; }
bool Take(const GotSlot& slot) {
  if (std::strcmp(slot.name, "getppid") == 0) g_object = slot.object;
  g_found.push_back(slot);
  return g_found.size() < g_most;
}

class LinkSlots : public ::testing::Test {
 protected:
  void SetUp() override {
    g_found.clear();
    g_found.reserve(1000);  // nothing is allocated inside of the search
    g_most = 1000;
  }
  uint64_t loads = 0;
};

int Another() { return 4711; }

TEST_F(LinkSlots, ACallGoesWhereItIsTold) {
  const pid_t real = getppid();
  FindSlots(nullptr, WantsGetppid, Take, &loads);
  ASSERT_EQ(g_found.size(), 1u);
  const GotSlot slot = g_found[0];
  EXPECT_STREQ(g_object, "");
  void* const before = *slot.word;
  ASSERT_TRUE(WriteSlot(slot, reinterpret_cast<void*>(&Another)));
  EXPECT_EQ(getppid(), 4711);
  ASSERT_TRUE(WriteSlot(slot, before));
  EXPECT_EQ(getppid(), real);
}

TEST_F(LinkSlots, OneObjectIsSearchedAlone) {
  FindSlotsOf(reinterpret_cast<const void*>(&Another), WantsMalloc, Take);
  for (const GotSlot& slot : g_found) EXPECT_STREQ(slot.object, "");
  g_found.clear();
  FindSlotsOf(reinterpret_cast<const void*>(&Another), WantsGetppid, Take);
  EXPECT_EQ(g_found.size(), 1u);
  FindSlotsOf(g_found.data(), WantsGetppid, Take);
  EXPECT_EQ(g_found.size(), 1u) << "no object is there";
}

TEST_F(LinkSlots, ReadOnlySlotsAreReadOnlyAfterwards) {
  FindSlots(nullptr, WantsGetppid, Take, &loads);
  ASSERT_EQ(g_found.size(), 1u);
  const GotSlot slot = g_found[0];
  const auto at = reinterpret_cast<uintptr_t>(slot.word);
  if (at < slot.relro_begin || at >= slot.relro_end) GTEST_SKIP() << "linked lazily";
  ASSERT_TRUE(WriteSlot(slot, *slot.word));
  EXPECT_DEATH(*static_cast<void* volatile*>(slot.word) = nullptr, "");
}

TEST_F(LinkSlots, AllObjectsButOneAreSearchedOnceALoad) {
  FindSlots(nullptr, WantsMalloc, Take, &loads);
  const size_t all = g_found.size();
  ASSERT_GT(all, 1u);
  const void* const self = g_found[0].word;
  g_found.clear();
  FindSlots(nullptr, WantsMalloc, Take, &loads);
  EXPECT_EQ(g_found.size(), 0u) << "nothing was loaded since";
  loads = 0;
  FindSlots(self, WantsMalloc, Take, &loads);
  EXPECT_LT(g_found.size(), all);
  g_found.clear();
  loads = 0;
  g_most = 1;
  FindSlots(nullptr, WantsMalloc, Take, &loads);
  EXPECT_EQ(g_found.size(), 1u);
}

}  // namespace
}  // namespace syncline::test
