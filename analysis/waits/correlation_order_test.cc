// SPDX-License-Identifier: Apache-2.0
// The order is that of a stable sort, whether correlations are dense or not.
#include "analysis/waits/correlation_order.h"

#include <gtest/gtest.h>

#include <random>

namespace syncline {
namespace {

struct KeyRow {
  uint32_t correlation;
  uint32_t number;
  bool operator==(const KeyRow&) const = default;
};

std::vector<KeyRow> KeyRows(size_t count, uint32_t least, uint32_t most) {
  std::mt19937 random(7);
  std::uniform_int_distribution<uint32_t> any(least, most);
  std::vector<KeyRow> rows;
  for (uint32_t i = 0; i < count; ++i) rows.push_back({any(random), i});
  return rows;
}

TEST(CorrelationOrderTest, ItIsThatOfAStableSort) {
  for (const uint32_t most : {uint32_t{3}, uint32_t{1000}, uint32_t{100000}, UINT32_MAX}) {
    for (const uint32_t least : {uint32_t{0}, uint32_t{2}, most - 1}) {
      std::vector<KeyRow> rows = KeyRows(2000, std::min(least, most), most);
      std::vector<KeyRow> expected = rows;
      std::stable_sort(expected.begin(), expected.end(), [](const KeyRow& a, const KeyRow& b) {
        return a.correlation < b.correlation;
      });
      SortByCorrelation(&rows);
      EXPECT_EQ(rows, expected) << least << ".." << most;
    }
  }
  std::vector<KeyRow> none;
  SortByCorrelation(&none);
  EXPECT_TRUE(none.empty());
}

TEST(CorrelationOrderTest, SparseOnesAreNotCounted) {
  EXPECT_TRUE(PlacesByCorrelation(KeyRows(100, 0, UINT32_MAX)).empty());
  EXPECT_FALSE(PlacesByCorrelation(KeyRows(100, UINT32_MAX - 200, UINT32_MAX)).empty());
}

}  // namespace
}  // namespace syncline
