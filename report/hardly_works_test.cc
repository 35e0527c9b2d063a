// SPDX-License-Identifier: Apache-2.0
// Which line says it, and that it is told whatever it brings alone.
#include "report/hardly_works.h"

#include <gtest/gtest.h>

#include "report/advice.h"

namespace syncline {
namespace {

constexpr uint64_t kAMs = 1'000'000;
constexpr WorkedTime kHardly = {60 * kAMs, 1000 * kAMs, 1000 * kAMs, 1};

ReportFinding Line(ProblemKind kind, uint64_t ms, uint64_t gain_ms) {
  ReportFinding finding;
  finding.kind = AdviceOf(kind).kind;
  finding.problem = AdviceOf(kind).problem;
  finding.advice = AdviceOf(kind).advice;
  finding.priced = true;
  finding.gain_ns = gain_ms * kAMs;
  finding.blocked_ns = ms * kAMs;
  finding.count = 100;
  return finding;
}

bool SaysIt(const ReportFinding& finding) {
  return finding.problem.starts_with("the GPU works only 6.0 % of the time, while the host");
}

TEST(HardlyWorksTest, WorkComesBeforeWaitsForOtherThreads) {
  std::vector<ReportFinding> found = {Line(ProblemKind::kAwaitsOthers, 900, 0),
                                      Line(ProblemKind::kHostWork, 800, 40)};
  TellThatDevicesHardlyWork(kHardly, &found);
  EXPECT_TRUE(SaysIt(found[1]));
  EXPECT_FALSE(SaysIt(found[0]));
  EXPECT_FALSE(found[1].priced) << "alone it brings little, and devices idle";
  EXPECT_NE(found[1].advice.find("not known"), std::string::npos);
  found = {Line(ProblemKind::kAwaitsOthers, 900, 0), Line(ProblemKind::kHostWork, 400, 0)};
  TellThatDevicesHardlyWork(kHardly, &found);
  EXPECT_TRUE(SaysIt(found[0])) << "what it waits for is not seen";
}

TEST(HardlyWorksTest, AGainStays) {
  std::vector<ReportFinding> both = {Line(ProblemKind::kHostWork, 800, 20),
                                     Line(ProblemKind::kCopyBack, 700, 600)};
  TellThatDevicesHardlyWork(kHardly, &both);
  EXPECT_TRUE(both[0].priced) << "the other one is why";
  std::vector<ReportFinding> found = {Line(ProblemKind::kHostWork, 800, 700)};
  TellThatDevicesHardlyWork(kHardly, &found);
  EXPECT_TRUE(SaysIt(found[0]));
  EXPECT_TRUE(found[0].priced);
}

TEST(HardlyWorksTest, NotWhereTheyWorkOrNoLineHasHalfOfTheTime) {
  std::vector<ReportFinding> found = {Line(ProblemKind::kHostWork, 450, 0)};
  TellThatDevicesHardlyWork(kHardly, &found);
  EXPECT_TRUE(found[0].priced);
  found[0].blocked_ns = 600 * kAMs;
  TellThatDevicesHardlyWork({300 * kAMs, 1000 * kAMs, 1000 * kAMs, 1}, &found);
  EXPECT_TRUE(found[0].priced) << "30 % of it";
}

}  // namespace
}  // namespace syncline
