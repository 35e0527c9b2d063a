// SPDX-License-Identifier: Apache-2.0
// Devices that would be called the same, and devices of which one launcher does not know all.
#include "report/device_marks.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

DeviceUse UseOf(uint32_t device, const std::string& uuid, int32_t pid = 1) {
  DeviceUse use;
  use.source = "cuda";
  use.device = device;
  use.uuid = uuid;
  use.pid = pid;
  use.begin_ns = 100;
  use.end_ns = 200;
  return use;
}

Report Marked(const RunFindings& findings) {
  Report report;
  for (const auto& [name, part] : findings.ranks) {
    for (const DeviceUse& use : part.devices) report.devices.push_back({name, use});
  }
  MarkDevices(findings, &report);
  return report;
}

TEST(DeviceMarksTest, TheUuidTellsThemApart) {
  RunFindings findings;
  findings.ranks["rank-0"].devices = {UseOf(0, "12345678-000000000001"),
                                      UseOf(0, "12345678-000000000002"),
                                      UseOf(0, "99345678-000000000002"), UseOf(1, "55")};
  findings.ranks["rank-1"].devices = {UseOf(0, "77")};
  const Report report = Marked(findings);
  EXPECT_EQ(report.devices[0].apart, "...00000001");
  EXPECT_EQ(report.devices[1].apart, "12345678-000000000002");
  EXPECT_EQ(report.devices[2].apart, "99345678");
  EXPECT_EQ(report.devices[3].apart, "");
  EXPECT_EQ(report.devices[4].apart, "77");
}

TEST(DeviceMarksTest, RanksThatCallTheirOwnDevicesByOneNumber) {
  RunFindings findings;
  findings.ranks["rank-0"].devices = {UseOf(0, "12345678-000000000001"), UseOf(1, "55")};
  findings.ranks["rank-1"].devices = {UseOf(0, "12345678-000000000002")};
  findings.ranks["rank-2"].devices = {UseOf(0, "12345678-000000000002"), UseOf(1, "55")};
  findings.ranks["rank-3"].host = "elsewhere";
  findings.ranks["rank-3"].devices = {UseOf(0, "12345678-000000000003")};
  const Report report = Marked(findings);
  EXPECT_EQ(report.devices[0].apart, "...00000001");
  EXPECT_EQ(report.devices[1].apart, "") << "both ranks use that device";
  EXPECT_EQ(report.devices[2].apart, "...00000002");
  EXPECT_EQ(report.devices[3].apart, "...00000002");
  EXPECT_EQ(report.devices[4].apart, "");
  EXPECT_EQ(report.devices[5].apart, "") << "of another machine";
}

TEST(DeviceMarksTest, OneAfterTheOtherTheProcessDoes) {
  RunFindings findings;
  findings.ranks["rank-0"].devices = {UseOf(0, "12345678", 41), UseOf(0, "12345678", 42),
                                      UseOf(0, "", 43)};
  const Report report = Marked(findings);
  EXPECT_EQ(report.devices[0].apart, "process 41");
  EXPECT_EQ(report.devices[1].apart, "process 42");
  EXPECT_EQ(report.devices[2].apart, "process 43");
}

TEST(DeviceMarksTest, WhatOtherLaunchersRecordedIsNotKnown) {
  RunFindings findings;
  findings.ranks["rank-0"].devices = {UseOf(0, "12"), UseOf(1, "34")};
  findings.ranks["rank-1"].devices = {UseOf(0, "12")};
  Report report = Marked(findings);
  EXPECT_FALSE(report.devices[0].idle_known);
  EXPECT_TRUE(report.devices[1].idle_known);
  EXPECT_FALSE(report.devices[2].idle_known);
  ASSERT_EQ(UnknownIdleTexts(findings).size(), 1u);
  EXPECT_TRUE(UnknownIdleTexts(findings)[0].starts_with("rank-0, rank-1 used one GPU"));

  for (auto& [name, part] : findings.ranks) part.devices[0].other_ranks = 1;
  EXPECT_TRUE(Marked(findings).devices[0].idle_known) << "one launcher recorded both";
  EXPECT_TRUE(UnknownIdleTexts(findings).empty());

  for (auto& [name, part] : findings.ranks) part.devices[0].other_ranks = 0;
  findings.ranks["rank-1"].devices[0].begin_ns = 300;
  findings.ranks["rank-1"].devices[0].end_ns = 400;
  EXPECT_TRUE(Marked(findings).devices[0].idle_known) << "one after the other";

  findings.ranks["rank-1"].devices[0] = UseOf(0, "12");
  findings.ranks["rank-1"].host = "elsewhere";
  EXPECT_TRUE(Marked(findings).devices[0].idle_known) << "a copy of the machine";
}

}  // namespace
}  // namespace syncline
