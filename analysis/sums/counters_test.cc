// SPDX-License-Identifier: Apache-2.0
// Which numbers count, and which name things.
#include "analysis/sums/counters.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

using Names = std::vector<NumberedName>;
using Families = std::vector<std::string>;

Names Numbered(const std::string& word, uint64_t from, uint64_t to, uint64_t count = 1) {
  Names names;
  for (uint64_t i = from; i <= to; ++i) names.push_back({word + std::to_string(i), count, i});
  return names;
}

TEST(CountersTest, TheWordSaysIt) {
  for (const char* counter : {"epoch #", "Epoch: [#]", "request #", "train-chunk_#", "epoch#",
                              "tensor 0x#", "batch #/#", "epoch # of #"})
    EXPECT_EQ(KindOfFamily(counter), FamilyKind::kCounter) << counter;
  for (const char* thing : {"conv#", "layer #", "layers.#.attn", "fp#", "h#d", "step#_load",
                            "Block_#", "epoch", "solve#"})
    EXPECT_EQ(KindOfFamily(thing), FamilyKind::kThing) << thing;
  for (const char* unknown : {"solve #", "#", "tile [#]"})
    EXPECT_EQ(KindOfFamily(unknown), FamilyKind::kUnknown) << unknown;
}

TEST(CountersTest, AFewEpochsAreOneThing) {
  EXPECT_EQ(CountingFamilies(Numbered("epoch ", 1, 5)), Families{"epoch #"});
  EXPECT_EQ(CountingFamilies(Numbered("epoch ", 1, 1)), Families{}) << "nothing to fold";
  EXPECT_EQ(CountingFamilies(Numbered("chunk ", 0, 3, 20)), Families{"chunk #"})
      << "in each epoch again";
}

TEST(CountersTest, WhatIsNumberedStaysApart) {
  for (const char* thing : {"layer ", "conv", "stage "})
    EXPECT_EQ(CountingFamilies(Numbered(thing, 1, 40)), Families{}) << thing;
}

TEST(CountersTest, OfAnUnknownWordTheOrderTells) {
  EXPECT_EQ(CountingFamilies(Numbered("solve ", 1, 12)), Families{"solve #"});
  EXPECT_EQ(CountingFamilies(Numbered("solve ", 1, 7)), Families{}) << "too few";
  EXPECT_EQ(CountingFamilies(Numbered("solve ", 1, 12, 2)), Families{}) << "in each pass";
  Names names = Numbered("solve ", 1, 12);
  std::swap(names[3].order, names[4].order);
  EXPECT_EQ(CountingFamilies(names), Families{}) << "not in their order";
}

}  // namespace
}  // namespace syncline
