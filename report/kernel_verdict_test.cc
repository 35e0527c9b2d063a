// SPDX-License-Identifier: Apache-2.0
// From which share on a kind of kernels is told.
#include "report/kernel_verdict.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

Report Computing(uint64_t percent) {
  Report report;
  ReportRank& rank = report.ranks.emplace_back();
  rank.shares[TimeKind::kComputing] = percent;
  rank.shares[TimeKind::kHostBusy] = 100 - percent;
  return report;
}

void SetClasses(uint64_t matmul, uint64_t attention, uint64_t element_wise, Report* report) {
  report->kernel_class_ns[static_cast<size_t>(KernelClass::kMatmul)] = matmul;
  report->kernel_class_ns[static_cast<size_t>(KernelClass::kAttention)] = attention;
  report->kernel_class_ns[static_cast<size_t>(KernelClass::kElementWise)] = element_wise;
}

TEST(KernelVerdictTest, AKindIsToldFromItsShareOn) {
  Report report = Computing(90);
  SetClasses(60, 0, 40, &report);
  EXPECT_EQ(
      KernelVerdict(report),
      "matrix products take 60 % of the computing: a lower precision, or larger batches, make "
      "them faster; kernels that mostly move memory take 40 % of the computing: fuse them, so "
      "that data is read and written once");
  SetClasses(59, 30, 39, &report);
  EXPECT_EQ(KernelVerdict(report), "");
  report.kernel_class_ns[static_cast<size_t>(KernelClass::kCommunication)] = 1000;
  SetClasses(50, 30, 20, &report);
  EXPECT_EQ(
      KernelVerdict(report),
      "attention takes 30 % of the computing: one fused kernel instead of several, or shorter "
      "sequences")
      << "communication is no computing";
}

TEST(KernelVerdictTest, NothingWhereSomethingElseLimits) {
  Report report = Computing(49);
  SetClasses(100, 0, 0, &report);
  EXPECT_EQ(KernelVerdict(report), "");
  ReportSteps& steps = report.steps.emplace_back();
  steps.shares[TimeKind::kComputing] = 1;
  EXPECT_NE(KernelVerdict(report), "") << "steps say it better than the whole run";
  report.lost_matters = true;
  EXPECT_EQ(KernelVerdict(report), "");
  EXPECT_EQ(KernelVerdict(Computing(100)), "") << "no kernel was seen";
}

}  // namespace
}  // namespace syncline
