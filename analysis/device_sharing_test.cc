// SPDX-License-Identifier: Apache-2.0
// Whose an idle time of a device is that several processes used.
#include "analysis/device_sharing.h"

#include <gtest/gtest.h>

#include <list>

#include "analysis/prices/replay_graph.h"

namespace syncline {
namespace {

constexpr Source kSourceOfTest = 2;
constexpr uint64_t kMilli = 1'000'000;
constexpr size_t kBusyPart = static_cast<size_t>(GapCause::kHostBusy);
constexpr size_t kCopyPart = static_cast<size_t>(GapCause::kCopy);

using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;

// Processes on devices; times are milliseconds.
class Machine {
 public:
  struct Process {
    Process(uint32_t number) : survey(kSourceOfTest), run(kSourceOfTest, survey) {
      run.number = number;
    }
    SourceSurvey survey;
    SourceRun run;
  };

  size_t Rank() {
    ranks_.emplace_back();
    return ranks_.size() - 1;
  }
  // Kernels; between them its host is busy. Then nothing follows until `end`.
  Findings& Works(size_t rank, const std::string& id, const Pairs& kernels,
                  const Pairs& copies = {}, uint64_t end = 0) {
    Process& process = processes_.emplace_back(static_cast<uint32_t>(processes_.size()));
    DeviceWork work{id, &process.run, 0, 0, {}, {}, WorkSpans(1000)};
    DeviceUse use;
    use.uuid = id;
    use.pid = static_cast<int32_t>(processes_.size());
    use.begin_ns = kernels.front().first * kMilli;
    use.end_ns = kernels.back().second * kMilli;
    for (const auto& [begin, until] : copies)
      work.spans.Add(begin * kMilli, until * kMilli, WorkKind::kCopying);
    WorkSweep sweep(work.closed);
    Findings& found = process.run.findings;
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (i != 0) AddGap(&found, kernels[i - 1].second, kernels[i].first, GapCause::kHostBusy);
      work.spans.Add(kernels[i].first * kMilli, kernels[i].second * kMilli, WorkKind::kKernels);
      sweep.Add(kernels[i].first * kMilli, kernels[i].second * kMilli, WorkKind::kKernels);
    }
    if (end != 0) AddGap(&found, kernels.back().second, end, GapCause::kNothingLeft);
    sweep.FillIn(&use);
    work.use = ranks_[rank].part.devices.size();
    ranks_[rank].part.devices.push_back(use);
    ranks_[rank].works.push_back(std::move(work));
    return found;
  }
  void Share(uint64_t shortest_gap_ns = 1000) {
    std::vector<RankDevices> ranks;
    for (RankOfTest& rank : ranks_) ranks.push_back({&rank.works, &rank.part});
    ShareDevices(ranks, shortest_gap_ns);
  }
  const std::vector<DeviceUse>& Devices(size_t rank) { return ranks_[rank].part.devices; }
  std::vector<DeviceWork>& works(size_t rank) { return ranks_[rank].works; }

 private:
  struct RankOfTest {
    std::vector<DeviceWork> works;
    RankPart part;
  };

  static void AddGap(Findings* found, uint64_t begin, uint64_t end, GapCause cause) {
    Gap& gap = found->gaps.emplace_back(Gap{begin * kMilli, end * kMilli});
    gap.cause = cause;
    gap.parts_ns[static_cast<size_t>(cause)] = (end - begin) * kMilli;
    gap.host_until_ns = end * kMilli;
    gap.host_from_ns = begin * kMilli;
  }

  std::list<Process> processes_;
  std::vector<RankOfTest> ranks_;
};

// Those that are left.
Pairs GapsOf(const Findings& found) {
  Pairs gaps;
  for (const Gap& gap : found.gaps) {
    uint64_t parts = 0;
    for (const uint64_t part : gap.parts_ns) parts += part;
    EXPECT_EQ(parts, gap.end_ns - gap.begin_ns);
    EXPECT_EQ(gap.begin_ns < gap.end_ns, parts != 0);
    if (gap.begin_ns == gap.end_ns) {
      EXPECT_FALSE(HostWorked(gap)) << "nothing would be won";
    } else {
      gaps.emplace_back(gap.begin_ns / kMilli, gap.end_ns / kMilli);
    }
  }
  return gaps;
}

TEST(DeviceSharingTest, AGapIsOfTheProcessWhoseWorkEndsIt) {
  Machine machine;
  const size_t rank = machine.Rank();
  const Findings& a = machine.Works(rank, "gpu", {{0, 10}, {40, 50}, {90, 100}});
  const Findings& b = machine.Works(rank, "gpu", {{5, 20}, {30, 35}, {45, 60}, {95, 97}});
  machine.Share();
  EXPECT_EQ(GapsOf(a), (Pairs{{35, 40}, {60, 90}}));
  EXPECT_EQ(GapsOf(b), (Pairs{{20, 30}})) << "50 to 60 it worked, from 60 on A came first";
  ASSERT_EQ(machine.Devices(rank).size(), 1u);
  const DeviceUse& use = machine.Devices(rank)[0];
  EXPECT_EQ(use.processes, 2u);
  EXPECT_EQ(use.busy_ns, (20 + 5 + 20 + 10) * kMilli);
  EXPECT_EQ(use.IdleNs(), 45 * kMilli);
  EXPECT_EQ(use.gaps_ns[kBusyPart], use.IdleNs());
  EXPECT_EQ(use.others_ns, 0u);
}

TEST(DeviceSharingTest, OfTwoRanksEachHasItsOwnIdleTime) {
  Machine machine;
  const size_t first = machine.Rank(), second = machine.Rank();
  machine.Works(first, "gpu", {{0, 10}, {40, 50}, {90, 100}});
  machine.Works(second, "gpu", {{5, 20}, {30, 35}, {45, 60}, {95, 97}});
  machine.Share();
  const DeviceUse& a = machine.Devices(first)[0];
  const DeviceUse& b = machine.Devices(second)[0];
  EXPECT_EQ(a.busy_ns, 30 * kMilli) << "its own";
  EXPECT_EQ(a.IdleNs(), 35 * kMilli);
  EXPECT_EQ(b.IdleNs(), 10 * kMilli);
  EXPECT_EQ(a.IdleNs(), a.gaps_ns[kBusyPart]);
  EXPECT_EQ(b.IdleNs(), b.gaps_ns[kBusyPart]);
  EXPECT_EQ(a.other_ranks, 1u);
  EXPECT_EQ(b.other_ranks, 1u);
  EXPECT_TRUE(machine.works(first)[0].is_shared);
}

TEST(DeviceSharingTest, DevicesOfTheirOwnStayAsTheyAre) {
  Machine machine;
  const size_t rank = machine.Rank();
  const Findings& a = machine.Works(rank, "gpu", {{0, 10}, {40, 50}}, {}, 60);
  const Findings& b = machine.Works(rank, "other", {{0, 20}, {30, 40}}, {}, 60);
  machine.Works(rank, "", {{0, 50}});
  machine.Works(rank, "", {{0, 50}});
  machine.Share();
  EXPECT_EQ(GapsOf(a), (Pairs{{10, 40}, {50, 60}}));
  EXPECT_EQ(GapsOf(b), (Pairs{{20, 30}, {40, 60}}));
  EXPECT_EQ(machine.Devices(rank).size(), 4u) << "nobody knows whether those without an id are one";
}

// One program after the other.
TEST(DeviceSharingTest, WhoDidNotUseItAtOneTimeStayApart) {
  Machine machine;
  const size_t rank = machine.Rank();
  const Findings& a = machine.Works(rank, "gpu", {{0, 10}, {40, 50}}, {}, 60);
  const Findings& b = machine.Works(rank, "gpu", {{70, 80}, {90, 95}}, {}, 99);
  machine.Share();
  EXPECT_EQ(machine.Devices(rank).size(), 2u);
  EXPECT_EQ(GapsOf(a), (Pairs{{10, 40}}));
  EXPECT_EQ(GapsOf(b), (Pairs{{80, 90}, {95, 99}})) << "nothing is left behind the last one's work";
  EXPECT_FALSE(machine.works(rank)[0].is_shared);
}

TEST(DeviceSharingTest, WhatIsLeftIsShorterThanAGap) {
  Machine machine;
  const size_t rank = machine.Rank();
  const Findings& a = machine.Works(rank, "gpu", {{0, 10}, {40, 50}});
  machine.Works(rank, "gpu", {{1, 39}});
  machine.Share(2 * kMilli);
  EXPECT_EQ(GapsOf(a), Pairs{});
  EXPECT_EQ(machine.Devices(rank)[0].IdleNs(), 1 * kMilli);
}

TEST(DeviceSharingTest, WorkThatBeginsAtOneMomentEndsOneGap) {
  Machine machine;
  const size_t rank = machine.Rank();
  const Findings& a = machine.Works(rank, "gpu", {{0, 10}, {40, 50}});
  const Findings& b = machine.Works(rank, "gpu", {{0, 10}, {40, 60}});
  machine.Share();
  EXPECT_EQ(GapsOf(a), (Pairs{{10, 40}}));
  EXPECT_EQ(GapsOf(b), Pairs{});
}

TEST(DeviceSharingTest, TheOthersCopiesAreCopies) {
  Machine machine;
  const size_t rank = machine.Rank();
  const Findings& a = machine.Works(rank, "gpu", {{0, 10}, {40, 50}});
  machine.Works(rank, "gpu", {{0, 10}, {60, 70}}, {{15, 20}});
  machine.Share();
  EXPECT_EQ(GapsOf(a), (Pairs{{10, 40}}));
  EXPECT_EQ(a.gaps[0].parts_ns[kCopyPart], 5 * kMilli);
  EXPECT_EQ(a.gaps[0].parts_ns[kBusyPart], 25 * kMilli);
}

TEST(DeviceSharingTest, WhileOneWasNotRecordedNobodyKnowsThatTheDeviceWasIdle) {
  Machine machine;
  const size_t first = machine.Rank(), second = machine.Rank();
  const Findings& a = machine.Works(first, "gpu", {{0, 10}, {40, 50}});
  machine.Works(second, "gpu", {{0, 10}, {48, 70}});
  machine.works(second)[0].closed = {{20, 30 * kMilli}};
  machine.Share();
  EXPECT_EQ(GapsOf(a), (Pairs{{30, 40}}));
}

TEST(DeviceSharingTest, AfterAWaitTheOtherMayWork) {
  Machine machine;
  const size_t rank = machine.Rank();
  Findings& a = machine.Works(rank, "gpu", {{0, 10}, {40, 50}});
  machine.Works(rank, "gpu", {{0, 5}, {12, 20}, {30, 60}});
  const auto add = [&](uint64_t end, uint64_t idle) {
    Wait& wait = a.waits.emplace_back();
    wait.device = 0;
    wait.end_ns = end * kMilli;
    wait.gpu_idle_after_ns = idle == kNothingFollows ? idle : idle * kMilli;
  };
  add(10, 30);
  add(15, 25);
  add(22, 3);
  add(50, kNothingFollows);
  machine.Share();
  EXPECT_EQ(a.waits[0].gpu_idle_after_ns, 2 * kMilli);
  EXPECT_EQ(a.waits[1].gpu_idle_after_ns, 0u);
  EXPECT_EQ(a.waits[2].gpu_idle_after_ns, 3 * kMilli);
  EXPECT_EQ(a.waits[3].gpu_idle_after_ns, kNothingFollows);
}

}  // namespace
}  // namespace syncline
