// SPDX-License-Identifier: Apache-2.0
// Ranges come in the order of their ends; a name's time is that of its outermost ranges.
#include "analysis/sums/stage_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace syncline {
namespace {

struct Range {
  uint32_t name;
  uint16_t depth;
  uint64_t begin, end;
};

// A device that is always busy.
WorkCurves Busy() {
  GpuRecords records;
  GpuOp op;
  op.end_ns = 1000000;
  records.ops = {op};
  records.ops_by_device = {0};
  WorkCurves curves({});
  curves.AddDevices(records, {});
  curves.Finish();
  return curves;
}

std::vector<uint64_t> TimesOf(const std::vector<Range>& ranges) {
  WorkCurves curves = Busy();
  StageSums sums(&curves);
  NamePool pool;
  const Stream stream(1, &pool, nullptr);
  for (const Range& range : ranges)
    sums.AddNested(stream, range.name, range.depth, range.begin, range.end);
  std::vector<uint64_t> times;
  for (const StageWork& work : sums.sums()) times.push_back(work.busy_ns);
  return times;
}

TEST(StageSumsTest, RecursionCountsOnce) {
  EXPECT_EQ(TimesOf({{0, 1, 10, 20}, {0, 0, 5, 30}, {0, 0, 40, 50}}), (std::vector<uint64_t>{35}));
  // 0 in 1 in 0, and beside that in another 1.
  EXPECT_EQ(TimesOf({{0, 2, 10, 20}, {1, 1, 9, 21}, {0, 0, 5, 30}, {0, 1, 42, 44}, {1, 0, 40, 50}}),
            (std::vector<uint64_t>{25 + 2, 12 + 10}));
}

TEST(StageSumsTest, SiblingsAreNotWithinEachOther) {
  std::vector<Range> ranges;
  for (uint64_t i = 0; i < 100; ++i) {
    ranges.push_back({0, 2, 100 * i + 10, 100 * i + 20});
    ranges.push_back({1, 1, 100 * i, 100 * i + 50});
  }
  ranges.push_back({0, 0, 0, 20000});
  ranges.push_back({0, 0, 30000, 30001});
  EXPECT_EQ(TimesOf(ranges), (std::vector<uint64_t>{20001, 5000}));
}

// Random trees, against the union of each name's ranges.
void Grow(std::mt19937* random, uint16_t depth, uint64_t* now, std::vector<Range>* ranges) {
  const Range range{static_cast<uint32_t>((*random)() % 3), depth, (*now)++, 0};
  for (unsigned children = (*random)() % 4; depth < 6 && children > 0; --children)
    Grow(random, static_cast<uint16_t>(depth + 1), now, ranges);
  ranges->push_back(range);
  ranges->back().end = ++*now;
}

TEST(StageSumsTest, TimesAreThoseOfTheUnion) {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    std::vector<Range> ranges = {{0, 0, 0, 1}, {1, 0, 1, 2}, {2, 0, 2, 3}};
    uint64_t now = 5;
    for (int trees = 0; trees < 3; ++trees) Grow(&random, 0, &now, &ranges);
    std::vector<uint64_t> truly(3);
    for (uint64_t at = 0; at < now; ++at) {
      for (uint32_t name = 0; name < 3; ++name) {
        truly[name] += std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
          return range.name == name && range.begin <= at && at < range.end;
        });
      }
    }
    EXPECT_EQ(TimesOf(ranges), truly);
  }
}

}  // namespace
}  // namespace syncline
