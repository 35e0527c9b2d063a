// SPDX-License-Identifier: Apache-2.0
// Launchers of one machine, of two, and of none that is known.
#include "report/host_loads.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

void AddRank(const char* name, const char* host, HostLoad load, RunFindings* findings) {
  RankPart part;
  part.host = host;
  part.load = load;
  findings->ranks[name] = part;
}

TEST(HostLoads, AddUpWhatTheLaunchersOfAMachineDid) {
  RunFindings findings;
  AddRank("rank-0", "node1", {11, 1000, 900, 400}, &findings);
  AddRank("rank-1", "node1", {12, 990, 890, 380}, &findings);
  AddRank("rank-2", "node1", {12, 990, 890, 380}, &findings);  // of the same launcher
  EXPECT_NEAR(SharesOfOthers(findings)["node1"], 0.12, 1e-9);
  EXPECT_EQ(LoadText(findings), "other programs used 12 % of the processors of node1 meanwhile");
}

TEST(HostLoads, SayNothingOfQuietAndUnknownMachines) {
  RunFindings findings;
  AddRank("rank-0", "node1", {11, 1000, 500, 450}, &findings);
  AddRank("rank-1", "node2", {}, &findings);
  AddRank("rank-2", "node3", {11, 1000, 500, 700}, &findings);
  EXPECT_EQ(SharesOfOthers(findings).size(), 2u);
  EXPECT_EQ(LoadText(findings), "");
}

}  // namespace
}  // namespace syncline
