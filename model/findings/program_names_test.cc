// SPDX-License-Identifier: Apache-2.0
// Tests of which names say their program.
#include <gtest/gtest.h>

#include "base/text.h"
#include "model/findings/run_findings.h"

namespace syncline {
namespace {

DurationSums Once(uint64_t ns) {
  DurationSums sums;
  sums.Add(ns);
  return sums;
}

PriceKey Price(std::string ranges, std::string where, std::string program) {
  PriceKey key;
  key.ranges = std::move(ranges);
  key.where = std::move(where);
  key.program = std::move(program);
  return key;
}

TEST(NamePrograms, RangesOfOneNameInTwoProgramsAreTwo) {
  RunFindings findings;
  findings.ranges[{"nvtx", "", "step", "a"}] = Once(10);
  findings.ranges[{"nvtx", "", "step", "b"}] = Once(30);
  findings.ranges[{"nvtx", "", "load", "a"}] = Once(5);
  findings.ranges[{"nvtx", "io", "step", "b"}] = Once(7);
  findings.stages[{"nvtx", "", "load", "a"}].launched = 3;
  findings.ranks["rank-0"].stages = {{{"nvtx", "", "step", "a"}}, {{"nvtx", "", "load", "a"}}};
  findings.NamePrograms();
  EXPECT_EQ(findings.ranges.size(), 4u);
  EXPECT_EQ((findings.ranges[{"nvtx", "", "step", "b"}].total_ns), 30u);
  EXPECT_EQ((findings.ranges[{"nvtx", "", "load"}].total_ns), 5u) << "only one has it";
  EXPECT_EQ((findings.ranges[{"nvtx", "io", "step"}].total_ns), 7u) << "another domain's";
  EXPECT_EQ((findings.stages[{"nvtx", "", "load"}].launched), 3u);
  EXPECT_EQ(findings.ranks["rank-0"].stages[0].key.program, "a");
  EXPECT_EQ(findings.ranks["rank-0"].stages[1].key.program, "");
}

// A wait, the price of its line, and that of its function are told together.
TEST(NamePrograms, PlacesThatBelongTogetherSayItTogether) {
  RunFindings findings;
  for (const char* program : {"a", "b"})
    findings.prices[Price("step", Text("x.cu:", *program, " run()"), program)].count = 1;
  findings.prices[Price("step", "x.cu run()", "a")].count = 1;
  findings.prices[Price("step", "y.cu:1 run()", "a")].count = 1;
  findings.prices[Price("load", "", "b")].count = 1;
  WaitKey wait;
  wait.where = "x.cu:9 run()";
  wait.program = "b";
  findings.waits[wait].unknown = 1;
  wait.where = "";
  wait.ranges = "load";
  findings.waits[wait].unknown = 1;
  findings.NamePrograms();
  std::vector<std::string> programs;
  for (const auto& [key, sums] : findings.prices) programs.push_back(key.where + "|" + key.program);
  EXPECT_EQ(programs, (std::vector<std::string>{"|", "x.cu run()|a", "x.cu:97 run()|a",
                                                "x.cu:98 run()|b", "y.cu:1 run()|"}));
  EXPECT_EQ(findings.waits.begin()->first.program, "b");
  EXPECT_EQ(findings.waits.rbegin()->first.program, "") << "only one has such a range";
}

}  // namespace
}  // namespace syncline
