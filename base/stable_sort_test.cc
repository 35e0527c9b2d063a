// SPDX-License-Identifier: Apache-2.0
// Rows in order, and equal ones as they were.
#include "base/stable_sort.h"

#include <gtest/gtest.h>

#include <memory>

namespace syncline {
namespace {

TEST(StableSortTest, EqualRowsStayAsTheyAre) {
  std::vector<std::pair<int, char>> rows = {{2, 'a'}, {1, 'b'}, {2, 'c'}, {1, 'd'}};
  StableSort(&rows, [](const auto& a, const auto& b) { return a.first < b.first; });
  EXPECT_EQ(rows, (std::vector<std::pair<int, char>>{{1, 'b'}, {1, 'd'}, {2, 'a'}, {2, 'c'}}));
}

TEST(StableSortTest, RowsThatCannotBeCopiedAreMoved) {
  std::vector<std::unique_ptr<int>> rows;
  for (const int value : {3, 1, 2}) rows.push_back(std::make_unique<int>(value));
  StableSort(&rows, [](const auto& a, const auto& b) { return *a < *b; });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(*rows[static_cast<size_t>(i)], i + 1);
  rows.clear();
  StableSort(&rows, [](const auto& a, const auto& b) { return *a < *b; });
  EXPECT_TRUE(rows.empty());
}

}  // namespace
}  // namespace syncline
