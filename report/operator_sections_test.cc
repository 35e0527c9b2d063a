// SPDX-License-Identifier: Apache-2.0
// The order of operators, and that none is lost from their sum.
#include "report/operator_sections.h"

#include <gtest/gtest.h>

#include <string>

#include "report/sections.h"

namespace syncline {
namespace {

OperatorSums Took(uint64_t host_ns, uint64_t device_ns) {
  const OperatorWork work{host_ns, 0, 1, device_ns};
  return {1, work, work};
}

TEST(OperatorSections, TheCostliestOnDevicesStandFirst) {
  RunFindings findings;
  findings.operators[{"torch", "aten", "aten::view"}] = Took(50, 0);
  findings.operators[{"torch", "aten", "aten::mm"}] = Took(10, 300);
  findings.operators[{"torch", "aten", "aten::add"}] = Took(20, 100);
  findings.operators[{"torch", "aten", "aten::empty"}] = Took(60, 0);
  Report report;
  AddOperators(findings, &report);
  const Section section = OperatorsSection(report, {});
  std::vector<std::string> names;
  for (const auto& row : section.rows) names.push_back(std::get<std::string>(row[0]));
  EXPECT_EQ(names,
            (std::vector<std::string>{"aten::mm", "aten::add", "aten::empty", "aten::view"}));
  EXPECT_DOUBLE_EQ(std::get<double>(section.rows[0][4]), 0.75);
  EXPECT_TRUE(OperatorsSection(Report(), {}).rows.empty());
}

TEST(OperatorSections, ByLineEachLineHasARow) {
  RunFindings findings;
  findings.operators[{"torch", "aten", "aten::mm"}] = Took(30, 300);
  findings.operator_lines[{{"torch", "aten", "aten::mm"}, "a.py:3 f()"}] = Took(10, 100);
  findings.operator_lines[{{"torch", "aten", "aten::mm"}, "a.py:9 g()"}] = Took(20, 200);
  Report report;
  AddOperators(findings, &report);
  report.wish.operators = OperatorsBy::kLine;
  const Section section = OperatorsSection(report, {});
  ASSERT_EQ(section.rows.size(), 2u);
  EXPECT_EQ(std::get<std::string>(section.rows[0][0]), "aten::mm, a.py:9 g()");
  EXPECT_EQ(std::get<std::string>(section.rows[1][2]), "a.py:3 f()");
}

TEST(OperatorSections, TheRestIsOneRow) {
  RunFindings findings;
  for (int i = 0; i < 210; ++i)
    findings.operators[{"torch", "aten", "op" + std::to_string(i)}] = Took(1, 1000);
  Report report;
  AddOperators(findings, &report);
  ASSERT_EQ(report.operators.size(), 201u);
  EXPECT_EQ(report.operators.back().key.name, "(10 other operators)");
  EXPECT_EQ(report.operators.back().sums.own.device_ns, 10'000u);
  EXPECT_EQ(report.operators.back().sums.count, 10u);
  const Section section = OperatorsSection(report, {.costliest_first = true});
  EXPECT_EQ(std::get<std::string>(section.rows.back()[0]), "(10 other operators)")
      << "together they cost more than any";
}

}  // namespace
}  // namespace syncline
