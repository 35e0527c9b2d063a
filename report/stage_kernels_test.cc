// SPDX-License-Identifier: Apache-2.0
// Stages as the report has them, each with its costliest kernels.
#include "report/stage_kernels.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "report/kernel_classes.h"
#include "report/report_builder.h"
#include "report/sections.h"

namespace syncline {
namespace {

// Of `step` 52 kernels, the later ones costlier; of `forward` one.
RunFindings TwoStages() {
  RunFindings findings;
  findings.ranges[{"r", "", "forward"}].Add(10);
  findings.ranges[{"r", "", "step"}].Add(100);
  findings.ranges[{"r", "", "data"}].Add(50);
  KernelsOfStages& stages = findings.stage_kernels;
  KernelList of_step;
  for (uint64_t i = 1; i <= 52; ++i)
    of_step.kernels.emplace_back(stages.NumberOf({"x", Text("k", i)}),
                                 StageKernel{{2, i * 10, 4}, {1, i * 5, 2}});
  stages.Add({"r", "", "step"}, of_step);
  const LaunchSums all{3, 30, 9};
  stages.Add({"r", "", "forward"}, {{{stages.NumberOf({"x", "k1"}), {all, all}}}});
  return findings;
}

Report ReportOf(const RunFindings& findings, bool all) {
  ReportSources sources;
  sources.all = all;
  return BuildReport(findings, {}, {}, sources);
}

TEST(StageKernelsTest, TheCostliestKernelsOfEachStage) {
  const Report report = ReportOf(TwoStages(), true);
  ASSERT_EQ(report.stage_kernels.size(), 2u) << "no kernel was launched in `data`";
  const ReportStageKernels& step = report.stage_kernels[0];
  EXPECT_EQ(step.key.name, "step") << "the costliest stage";
  ASSERT_EQ(step.kernels.size(), kMostKernels + 1);
  EXPECT_EQ(step.kernels[0].key.name, "k52");
  EXPECT_EQ(step.kernels.back().key.name, "(2 other kernels)");
  EXPECT_EQ(step.kernels.back().sums, (StageKernel{{4, 30, 8}, {2, 15, 4}}));
  EXPECT_EQ(LaunchesOfStage(step), (LaunchSums{104, 52 * 53 / 2 * 10, 208}));
}

TEST(StageKernelsTest, ATableWhereAllIsAskedFor) {
  const Section section = StageKernelsSection(ReportOf(TwoStages(), true), {});
  ASSERT_EQ(section.rows.size(), kMostKernels + 2);
  const auto& last = section.rows.back();
  EXPECT_EQ(std::get<std::string>(last[0]), "forward: k1");
  EXPECT_EQ(std::get<uint64_t>(last[ColumnNamed(section, "device_ms")]), 30u);
  EXPECT_EQ(std::get<double>(last[ColumnNamed(section, "of stage")]), 1.0);
  EXPECT_EQ(std::get<uint64_t>(last[ColumnNamed(section, "CPU time")]), 9u);
  EXPECT_EQ(std::get<uint64_t>(section.rows[0][ColumnNamed(section, "own")]), 1u);
  EXPECT_TRUE(StageKernelsSection(ReportOf(TwoStages(), false), {}).rows.empty());
}

}  // namespace
}  // namespace syncline
