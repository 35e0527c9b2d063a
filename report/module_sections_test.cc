// SPDX-License-Identifier: Apache-2.0
// The order of modules, what stands where nothing is called, and that none is lost from their sum.
#include "report/module_sections.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace syncline {
namespace {

ModuleSums Took(uint64_t device_ns, uint64_t own_ns, uint64_t back_ns) {
  ModuleSums sums;
  sums.count = 1;
  sums.all.device_ns = device_ns;
  sums.own.device_ns = own_ns;
  sums.back.device_ns = back_ns;
  sums.of_class = "M";
  return sums;
}

std::vector<std::string> NamesOf(const Report& report) {
  std::vector<std::string> names;
  for (const ReportModule& row : report.modules) names.push_back(row.key.name);
  return names;
}

TEST(ModuleSections, EachStandsBeforeThoseBelowIt) {
  RunFindings findings;
  findings.modules[{"torch", "modules", "Net"}] = Took(100, 10, 1);
  findings.modules[{"torch", "modules", "Net.b"}] = Took(20, 20, 2);
  findings.modules[{"torch", "modules", "Net.layers.0"}] = Took(30, 5, 3);
  findings.modules[{"torch", "modules", "Net.layers.0.a"}] = Took(25, 25, 4);
  findings.modules[{"torch", "modules", "Net.layers.1"}] = Took(40, 40, 100);
  findings.modules[{"torch", "modules", "Loss"}] = Took(1, 1, 0);
  Report report;
  AddModules(findings, &report);
  EXPECT_EQ(NamesOf(report),
            (std::vector<std::string>{"Net", "Net.layers", "Net.layers.1", "Net.layers.0",
                                      "Net.layers.0.a", "Net.b", "Loss"}));
  EXPECT_EQ(report.modules[0].back.device_ns, 110u);
  EXPECT_EQ(report.modules[1].sums.count, 0u);  // a list, which nobody calls
  EXPECT_EQ(report.modules[1].sums.all.device_ns, 70u);
  EXPECT_EQ(report.modules[1].back.device_ns, 107u);
  EXPECT_EQ(report.modules[3].back.device_ns, 7u);
}

TEST(ModuleSections, WhatGraphsRanForAModuleCountsForThoseAround) {
  RunFindings findings;
  findings.modules[{"torch", "modules", "Net"}] = Took(10, 10, 0);
  findings.modules[{"torch", "modules", "Net.a"}] = Took(20, 20, 0);
  findings.modules[{"torch", "modules", "Net.layers.0"}].own.replayed_ns = 500;
  findings.modules[{"torch", "modules", "Net"}].own.replayed_ns = 7;
  Report report;
  AddModules(findings, &report);
  EXPECT_EQ(NamesOf(report),
            (std::vector<std::string>{"Net", "Net.layers", "Net.layers.0", "Net.a"}));
  EXPECT_EQ(report.modules[0].replayed_ns, 507u);
  EXPECT_EQ(report.modules[1].replayed_ns, 500u);
  EXPECT_EQ(report.modules[3].replayed_ns, 0u);
}

TEST(ModuleSections, ProgramsHaveTreesOfTheirOwn) {
  RunFindings findings;
  findings.modules[{"torch", "modules", "Net.a", "one.py"}] = Took(1, 1, 1);
  findings.modules[{"torch", "modules", "Net", "two.py"}] = Took(5, 5, 5);
  Report report;
  AddModules(findings, &report);
  ASSERT_EQ(report.modules.size(), 3u);
  EXPECT_EQ(report.modules[0].key.program, "two.py");
  EXPECT_EQ(report.modules[0].back.device_ns, 5u);
  EXPECT_EQ(report.modules[1].key.name, "Net");
  EXPECT_EQ(report.modules[1].key.program, "one.py");
}

TEST(ModuleSections, TheCheapestAreOne) {
  RunFindings findings;
  for (int i = 0; i < 1010; ++i)
    findings.modules[{"torch", "modules", "m" + std::to_string(i)}] = Took(10, 10, 1);
  Report report;
  AddModules(findings, &report);
  ASSERT_EQ(report.modules.size(), 1001u);
  EXPECT_EQ(report.modules.back().key.name, "(10 other modules)");
  EXPECT_EQ(report.modules.back().sums.all.device_ns, 100u);
  EXPECT_EQ(report.modules.back().back.device_ns, 10u);
}

}  // namespace
}  // namespace syncline
