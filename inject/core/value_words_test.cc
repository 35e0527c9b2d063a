// SPDX-License-Identifier: Apache-2.0
// What does not fit is left out, and nothing is written beyond the room.
#include "inject/core/value_words.h"

#include <gtest/gtest.h>

#include <vector>

namespace syncline {
namespace {

constexpr uint64_t kUntouched = 0x5555555555555555;

std::vector<uint64_t> Room() { return std::vector<uint64_t>(kMostValueWords + 8, kUntouched); }

void ExpectUntouchedBeyond(const std::vector<uint64_t>& words) {
  for (size_t i = kMostValueWords; i < words.size(); ++i) EXPECT_EQ(words[i], kUntouched) << i;
}

TEST(ValueWriter, TheLastWordSaysThatThereIsMore) {
  std::vector<uint64_t> words = Room();
  ValueWriter writer(words.data());
  for (size_t i = 0; i < kMostValueWords; ++i) writer.Size(i);
  EXPECT_TRUE(writer.cut());
  EXPECT_EQ(writer.count(), kMostValueWords);
  EXPECT_EQ(KindOfValue(words[kMostValueWords - 1]), ValueForm::kCut);
  ExpectUntouchedBeyond(words);
}

TEST(ValueWriter, GoesOnBehindWhatStandsThere) {
  for (size_t there = 0; there <= kMostValueWords; ++there) {
    std::vector<uint64_t> words = Room();
    ValueWriter writer(words.data());
    writer.Skip(there);
    for (size_t i = 0; i < kMostValueWords + 4; ++i) writer.Number(ValueForm::kInt, i);
    EXPECT_TRUE(writer.cut()) << there;
    EXPECT_EQ(writer.count(), kMostValueWords) << there;
    EXPECT_EQ(words[there == 0 ? kMostValueWords : there - 1], kUntouched) << there;
    ExpectUntouchedBeyond(words);
  }
}

}  // namespace
}  // namespace syncline
