// SPDX-License-Identifier: Apache-2.0
// Rows by function, and the sentence of the report.
#include "report/host_work.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr uint64_t kMs = 1'000'000;

RunFindings Findings() {
  RunFindings findings;
  auto& work = findings.host_work;
  work[{"data.py:40 collate()", HostActivity::kRunning, "", ""}].samples = 40;
  work[{"data.py:41 collate()", HostActivity::kRunning, "", ""}].samples = 10;
  work[{"data.py:41 collate()", HostActivity::kNoProcessor, "", ""}].samples = 10;
  work[{"train.py:7 main()", HostActivity::kGil, "train.py:88 log()", ""}].samples = 12;
  work[{"train.py:9 main()", HostActivity::kGil, "train.py:88 log()", ""}].samples = 8;
  work[{"train.py:7 main()", HostActivity::kGil, "train.py:90 log()", ""}].samples = 5;
  work[{"io.py:3 load()", HostActivity::kBlocked, "read", ""}].samples = 10;
  work[{"io.py:9 close()", HostActivity::kBlocked, "close", ""}].samples = 5;
  StepSeries series;
  series.shares[TimeKind::kComputing] = 60 * kMs;
  series.shares[TimeKind::kMakingData] = 30 * kMs;
  series.shares[TimeKind::kHostBusy] = 10 * kMs;
  findings.ranks["rank-0"].steps.push_back(series);
  return findings;
}

TEST(HostWork, IsAddedUpByFunction) {
  Report report;
  AddHostWork(Findings(), &report);
  ASSERT_EQ(report.host_work.size(), 5u);
  const ReportHostWork& first = report.host_work[0];
  EXPECT_EQ(first.function, "data.py collate()");
  EXPECT_EQ(first.line, "data.py:40 collate()") << "the line with most of it";
  EXPECT_EQ(first.samples, 50u);
  EXPECT_DOUBLE_EQ(first.share, 0.5);
  EXPECT_EQ(first.idle_ns, 20 * kMs);
  const ReportHostWork& lock = report.host_work[1];
  EXPECT_EQ(lock.activity, HostActivity::kGil);
  EXPECT_EQ(lock.what, "train.py:88 log()");
  EXPECT_EQ(lock.samples, 25u);
}

TEST(HostWork, TheSentenceTellsTheMost) {
  Report report;
  AddHostWork(Findings(), &report);
  EXPECT_EQ(report.host_work_text,
            "The GPU has nothing to do for 40 % of a step because of what the host does: "
            "data.py:40 collate() (60 %; 10 % without a processor), waiting for the GIL held by "
            "train.py:88 log() (25 %), io.py:3 load() blocked in read (10 %).");
}

TEST(HostWork, WhatIsLittleIsNotTold) {
  RunFindings findings = Findings();
  findings.ranks["rank-0"].steps[0].shares[TimeKind::kComputing] = 10'000 * kMs;
  Report report;
  AddHostWork(findings, &report);
  EXPECT_EQ(report.host_work_text, "");
  EXPECT_EQ(report.host_work.size(), 5u);
  findings.host_work.clear();
  findings.host_work[{"a.py:1 f()", HostActivity::kRunning, "", ""}].samples = 19;
  Report few;
  AddHostWork(findings, &few);
  EXPECT_TRUE(few.host_work.empty()) << "of so few samples shares say nothing";
}

}  // namespace
}  // namespace syncline
