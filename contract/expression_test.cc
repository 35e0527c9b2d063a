// SPDX-License-Identifier: Apache-2.0
// What is an expression, and where others go wrong.
#include "contract/expression.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

Expression Parsed(const std::string& text) {
  Expression expression;
  ExpressionError error;
  EXPECT_TRUE(ParseExpression(text, &expression, &error)) << text << ": " << error.message;
  return expression;
}

// The message, and what it marks.
std::string Fault(const std::string& text, std::string* marked = nullptr) {
  Expression expression;
  ExpressionError error;
  EXPECT_FALSE(ParseExpression(text, &expression, &error)) << text;
  if (marked != nullptr) *marked = MarkedText(text, error);
  return error.message;
}

TEST(ExpressionTest, AMeasureAndItsBound) {
  const Expression expression = Parsed("waits_per_step <= 2");
  EXPECT_STREQ(expression.measure->name, "waits_per_step");
  EXPECT_EQ(expression.of, MeasureOf::kRun);
  EXPECT_EQ(expression.relation, Relation::kAtMost);
  EXPECT_EQ(expression.number, 2);
  EXPECT_FALSE(expression.needs_base());
}

TEST(ExpressionTest, UnitsAreThoseOfTheMeasure) {
  EXPECT_EQ(Parsed("step<3ms").number, 3e6);
  EXPECT_EQ(Parsed("step < 1.5 min").number, 90e9);
  EXPECT_NEAR(Parsed("gpu_busy >= 80%").number, 0.8, 1e-12);
  EXPECT_EQ(Parsed("peak_memory <= 1.5GiB").number, 1.5 * (1 << 30));
  EXPECT_EQ(Parsed("bytes_from_host_per_step == 2 MB").number, 2e6);
  EXPECT_EQ(Fault("step < 3"), "a unit has to stand here: ns, us, ms, s, min or h");
  EXPECT_NE(Fault("peak_memory < 3gib").find("did you mean `GiB`?"), std::string::npos);
  EXPECT_NE(Fault("waits_per_step < 3ms").find("is a count"), std::string::npos);
}

TEST(ExpressionTest, Places) {
  const Expression line = Parsed("waits_per_step at 'train.py:38' <= 0");
  EXPECT_EQ(line.of, MeasureOf::kLine);
  EXPECT_EQ(line.place, "train.py:38");
  EXPECT_EQ(Parsed("stage_time in \"my 'stage'\" < 3 ms").place, "my 'stage'");
  EXPECT_EQ(Parsed("waits_per_step in backward < 1").place, "backward");
  EXPECT_EQ(Parsed("idle by 'host busy' < 3 ms").of, MeasureOf::kCause);
  EXPECT_EQ(Fault("idle by 'host bussy' < 3 ms"),
            "there is no cause `host bussy`: did you mean `host busy`?");
  EXPECT_EQ(Fault("step at 'a.py' < 3 ms"), "`step` is not measured at lines");
  EXPECT_NE(Fault("stage_time < 3 ms").find("is of a stage"), std::string::npos);
  EXPECT_EQ(Fault("waits_per_step at 'train.py <= 0"), "the quote has no end");
  EXPECT_NE(Fault("waits_per_step at '' <= 0").find("a name has to stand here"), std::string::npos);
}

TEST(ExpressionTest, AnotherRun) {
  Expression expression = Parsed("step <= 1.05 x BASE");
  EXPECT_TRUE(expression.of_base);
  EXPECT_EQ(expression.number, 1.05);
  EXPECT_EQ(expression.base, "");
  EXPECT_EQ(Parsed("step<=1.05x'runs/a'").base, "runs/a");
  EXPECT_EQ(Parsed("step <= 2 * BASE").number, 2);
  EXPECT_EQ(Parsed("kernels_per_step <= BASE").number, 1);
  expression = Parsed("no new wait since BASE");
  EXPECT_EQ(expression.measure, nullptr);
  EXPECT_TRUE(expression.needs_base());
  EXPECT_EQ(Parsed("no new waits since 'x'").base, "x");
  EXPECT_NE(Fault("no new wait since BASSE").find("did you mean `BASE`?"), std::string::npos);
  EXPECT_NE(Fault("no wait since BASE").find("`new` has to stand here"), std::string::npos);
}

TEST(ExpressionTest, ThePlaceIsMarked) {
  std::string marked;
  EXPECT_EQ(Fault("wait_per_step <= 2", &marked),
            "there is no measure `wait_per_step`: did you mean `waits_per_step`?");
  EXPECT_EQ(marked, "  wait_per_step <= 2\n  ^~~~~~~~~~~~~");
  EXPECT_EQ(Fault("step <= ", &marked), "a number has to stand here, written like 1.5");
  EXPECT_EQ(marked, "  step <= \n          ^");
  EXPECT_EQ(Fault("waits_per_step <= 2 or 3", &marked),
            "`waits_per_step` is a count: no unit stands behind it");
  EXPECT_EQ(marked, "  waits_per_step <= 2 or 3\n                      ^~");
  EXPECT_EQ(Fault("step \xc3\xa9 3", &marked).substr(0, 20), "here has to stand on");
  EXPECT_EQ(marked, "  step \xc3\xa9 3\n       ^");
  Fault("step\x1b[31m <= 2", &marked);
  EXPECT_EQ(marked.find('\x1b'), std::string::npos);
}

TEST(ExpressionTest, NonsenseIsRefused) {
  for (const char* text :
       {"", "  ", "2", "<=", "step", "step step", "step <=", "step =< 3 ms", "step <= 3 ms 4",
        "step <= 1.2.3 ms", "step <= -1 ms", "step <= 1e5 ms", "no", "step <= 2 x",
        "gpu_busy >= 2 x 3", "step <= nan ms", "'step' < 2"})
    Fault(text);
  Fault(std::string(kLongestExpression + 1, 's'));
}

}  // namespace
}  // namespace syncline
