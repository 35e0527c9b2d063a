// SPDX-License-Identifier: Apache-2.0
// The line at which one rank waits alone.
#include "report/late_stage.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(LateStageTest, TheLineAtWhichOneRankWaitsAlone) {
  RunFindings findings;
  const auto add = [&findings](const char* where, const char* rank, uint64_t ranks, uint64_t ns) {
    PriceKey key;
    key.where = where;
    PriceSums& sums = findings.prices[key];
    sums.of_ranks[rank] = {};
    if (ranks == 2) sums.of_ranks["rank-7"] = {};
    sums.removed_ns = ns;
  };
  add("a.py:7 evaluate()", "rank-1", 1, 200);
  add("a.py:8 save()", "rank-1", 1, 100);
  add("a.py:9 train()", "rank-1", 2, 900);
  add("a.py:10 other()", "rank-0", 1, 900);
  add(kOtherLines, "rank-1", 1, 900);
  EXPECT_EQ(LineOfRankAlone(findings, "rank-1", 150), "a.py:7 evaluate()");
  EXPECT_EQ(LineOfRankAlone(findings, "rank-1", 201), "");
  EXPECT_EQ(LineOfRankAlone(findings, "rank-2", 0), "");
}

}  // namespace
}  // namespace syncline
