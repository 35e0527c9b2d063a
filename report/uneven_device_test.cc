// SPDX-License-Identifier: Apache-2.0
// Which GPU of a program is told to have more to compute.
#include "report/uneven_device.h"

#include <gtest/gtest.h>

#include <vector>

#include "report/ranked_changes.h"

namespace syncline {
namespace {

constexpr uint64_t kMsOfDevice = 1'000'000;

class UnevenDeviceTest : public ::testing::Test {
 protected:
  // One that computes 300 ms, and one 100 ms of the same time.
  UnevenDeviceTest() { AddRank(0, {{300, 100}, {100, 100}}); }

  // By device, for how long it computes, and for how much of that another one does.
  void AddRank(int rank, const std::vector<std::pair<uint64_t, uint64_t>>& devices) {
    RankPart& part = findings_.ranks["rank-" + std::to_string(rank)];
    part.rank = rank;
    part.complete = true;
    part.replay.whole_ns = 1000 * kMsOfDevice;
    part.devices.clear();
    for (uint32_t device = 0; device < devices.size(); ++device) {
      DeviceUse use;
      use.source = "cuda";
      use.device = device;
      use.uuid = "uuid-" + std::to_string(device);
      use.end_ns = 1000 * kMsOfDevice;
      use.computing_ns = use.busy_ns = devices[device].first * kMsOfDevice;
      use.beside_ns = devices[device].second * kMsOfDevice;
      part.devices.push_back(use);
    }
  }

  RunFindings findings_;
};

TEST_F(UnevenDeviceTest, IsTheOneThatComputesMore) {
  const std::optional<UnevenDevice> uneven = FindUnevenDevice(findings_);
  ASSERT_TRUE(uneven.has_value());
  EXPECT_EQ(uneven->use->device, 0u);
  EXPECT_EQ(uneven->beyond_mean_ns, 100 * kMsOfDevice);
  const std::vector<ReportFinding> answers = FindAnswers(findings_, {});
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].kind, "imbalance");
  EXPECT_EQ(answers[0].gain_ns, 100 * kMsOfDevice);
  EXPECT_TRUE(answers[0].where.starts_with("device 0: "));
  EXPECT_EQ(answers[0].rank, "");
}

TEST_F(UnevenDeviceTest, IsNoneOfThoseThatAreAlike) {
  AddRank(0, {{210, 200}, {200, 200}, {195, 195}});
  EXPECT_FALSE(FindUnevenDevice(findings_));
  AddRank(0, {{300, 0}});
  EXPECT_FALSE(FindUnevenDevice(findings_)) << "there is no other";
}

TEST_F(UnevenDeviceTest, IsNoneOfThoseThatWorkOneAfterTheOther) {
  AddRank(0, {{300, 20}, {100, 20}});
  EXPECT_FALSE(FindUnevenDevice(findings_)) << "all of it takes 380 ms, however it is divided";
}

TEST_F(UnevenDeviceTest, TwoProcessesOnOneDeviceAreOne) {
  AddRank(0, {{200, 200}, {100, 100}, {100, 100}});
  findings_.ranks["rank-0"].devices[2].uuid = findings_.ranks["rank-0"].devices[1].uuid;
  EXPECT_FALSE(FindUnevenDevice(findings_));
}

TEST_F(UnevenDeviceTest, IsNoneOfTwoProcesses) {
  findings_.ranks["rank-0"].devices[1].pid = 7;
  EXPECT_FALSE(FindUnevenDevice(findings_)) << "they have no work to share";
}

TEST_F(UnevenDeviceTest, IsThatOfOneProcessBesideAnother) {
  AddRank(0, {{300, 100}, {100, 100}, {20, 0}});
  DeviceUse& third = findings_.ranks["rank-0"].devices[2];
  third.pid = 7;
  const std::optional<UnevenDevice> uneven = FindUnevenDevice(findings_);
  ASSERT_TRUE(uneven.has_value());
  EXPECT_EQ(uneven->beyond_mean_ns, 100 * kMsOfDevice) << "the mean of its own two";
  third.computing_ns = 900 * kMsOfDevice;
  ASSERT_TRUE(FindUnevenDevice(findings_).has_value());
  EXPECT_EQ(FindUnevenDevice(findings_)->use->device, 0u);
}

TEST_F(UnevenDeviceTest, IsNoneWhereAnotherProcessUsedOneOfThem) {
  findings_.ranks["rank-0"].devices[0].processes = 2;
  EXPECT_FALSE(FindUnevenDevice(findings_)) << "what computed there is not of one process";
}

TEST_F(UnevenDeviceTest, OfSeveralRanksEachHasToHaveOne) {
  AddRank(1, {{260, 100}, {100, 100}});
  const std::optional<UnevenDevice> uneven = FindUnevenDevice(findings_);
  ASSERT_TRUE(uneven.has_value());
  EXPECT_EQ(uneven->rank, "rank-1") << "the job would not gain more";
  EXPECT_EQ(FindingOfDevice(*uneven, true).rank, "rank 1");
  AddRank(1, {{100, 100}, {100, 100}});
  EXPECT_FALSE(FindUnevenDevice(findings_)) << "the job goes on as its slowest rank does";
}

TEST_F(UnevenDeviceTest, IsNotKnownWhereTheRankIsCut) {
  findings_.ranks["rank-0"].endings.resize(1);
  EXPECT_FALSE(FindUnevenDevice(findings_));
}

}  // namespace
}  // namespace syncline
