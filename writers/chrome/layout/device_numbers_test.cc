// SPDX-License-Identifier: Apache-2.0
// One number for each physical device, whatever processes call it.
#include "writers/chrome/layout/device_numbers.h"

#include <gtest/gtest.h>

#include <list>

namespace syncline {
namespace {

constexpr Source kCuda = 2, kOther = 7;

// A rank's processes, by number; a device is told by the first byte of its uuid, 0: it has none.
class Rank {
 public:
  void Process(const std::vector<uint8_t>& uuids, Source source = kCuda) {
    SourceSurvey& survey = surveys_.emplace_back(source);
    for (uint32_t device = 0; device < uuids.size(); ++device) {
      DeviceFacts facts{};
      facts.uuid[0] = uuids[device];
      survey.devices.OnDevice(device, facts, "");
    }
    runs_.emplace_back(source, survey).number = static_cast<uint32_t>(runs_.size() - 1);
  }

  // By process, the numbers of its devices.
  std::vector<std::vector<uint32_t>> Numbers() {
    std::vector<const SourceRun*> runs;
    for (const SourceRun& run : runs_) runs.push_back(&run);
    numbers.Add(std::move(runs));
    std::vector<std::vector<uint32_t>> all;
    for (const SourceRun& run : runs_) {
      all.emplace_back();
      for (const auto& [device, info] : run.devices.infos)
        all.back().push_back(numbers.Of(run, device));
    }
    return all;
  }
  const SourceRun& run(size_t number) const { return *std::next(runs_.begin(), number); }

  DeviceNumbers numbers;

 private:
  std::list<SourceSurvey> surveys_;
  std::list<SourceRun> runs_;
};

using Numbers = std::vector<std::vector<uint32_t>>;

TEST(DeviceNumbers, OneProcessKeepsItsOwn) {
  Rank rank;
  rank.Process({7, 3, 9});
  EXPECT_EQ(rank.Numbers(), (Numbers{{0, 1, 2}}));
  EXPECT_FALSE(rank.numbers.AnyMoved(kCuda));
  EXPECT_TRUE(rank.numbers.Moved(rank.run(0)).empty());
  EXPECT_EQ(rank.numbers.Of(rank.run(0), 200), 200u);
}

TEST(DeviceNumbers, TwoDevicesWithOneNumber) {
  Rank rank;
  rank.Process({7});
  rank.Process({3});
  EXPECT_EQ(rank.Numbers(), (Numbers{{0}, {1}}));
  EXPECT_TRUE(rank.numbers.AnyMoved(kCuda));
  EXPECT_EQ(rank.numbers.Moved(rank.run(1)), (std::map<uint32_t, uint32_t>{{0, 1}}));
}

TEST(DeviceNumbers, OneDeviceWithTwoNumbers) {
  Rank rank;
  rank.Process({3});
  rank.Process({7, 3});  // sees most: the machine's numbers
  rank.Process({3, 7});
  EXPECT_EQ(rank.Numbers(), (Numbers{{1}, {0, 1}, {1, 0}}));
}

TEST(DeviceNumbers, WhatHasNoIdentityIsToldByItsNumber) {
  Rank rank;
  rank.Process({5, 6});
  rank.Process({0});
  rank.Process({0});
  EXPECT_EQ(rank.Numbers(), (Numbers{{2, 1}, {0}, {0}}))
      << "5 is perhaps not what the others call 0";
}

TEST(DeviceNumbers, SourcesCountForThemselves) {
  Rank rank;
  rank.Process({7});
  rank.Process({3}, kOther);
  EXPECT_EQ(rank.Numbers(), (Numbers{{0}, {0}}));
  EXPECT_FALSE(rank.numbers.AnyMoved(kOther));
}

}  // namespace
}  // namespace syncline
