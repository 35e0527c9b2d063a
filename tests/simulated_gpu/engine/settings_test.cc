// SPDX-License-Identifier: Apache-2.0
// The settings, the duration model and the fault switches.
#include "tests/simulated_gpu/engine/settings.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>

#include "tests/simulated_gpu/engine/durations.h"
#include "tests/simulated_gpu/engine/faults.h"

namespace simgpu {
namespace {

using Devices = std::vector<uint32_t>;

TEST(VisibleDevices, AsCudaReadsTheVariable) {
  EXPECT_EQ(VisibleDevices(nullptr, 3), (Devices{0, 1, 2}));
  EXPECT_EQ(VisibleDevices("", 3), Devices{});
  EXPECT_EQ(VisibleDevices("2,0", 3), (Devices{2, 0}));
  EXPECT_EQ(VisibleDevices("0,7,1", 3), Devices{0}) << "ends at the first that does not exist";
  EXPECT_EQ(VisibleDevices("-1", 3), Devices{});
  EXPECT_EQ(VisibleDevices("1,1", 3), Devices{}) << "twice the same: none";
  EXPECT_EQ(VisibleDevices("GPU-53696d75-6c61-7465-6420-475055000001", 3), Devices{1});
  EXPECT_EQ(VisibleDevices("none", 3), Devices{});
}

TEST(Settings, DefaultsAreThoseOfTheReadme) {
  const Settings settings = Settings::FromEnvironment();
  EXPECT_EQ(settings.devices, 2u);
  EXPECT_EQ(settings.queue_depth, 1024u);
  EXPECT_EQ(settings.jitter, 0);
  EXPECT_TRUE(settings.truth.empty());
}

TEST(Settings, PidGoesIntoTheNameOfTheTruth) {
  setenv("SIMGPU_TRUTH", "/x/%p.%p", 1);
  const Settings settings = Settings::FromEnvironment();
  unsetenv("SIMGPU_TRUTH");
  const std::string pid = std::to_string(getpid());
  EXPECT_EQ(settings.truth, "/x/" + pid + "." + pid);
}

TEST(SettingsDeathTest, NonsenseEndsTheProcessWithAMessage) {
  const auto with = [](const char* name, const char* value) {
    setenv(name, value, 1);
    Settings::FromEnvironment();
  };
  EXPECT_EXIT(with("SIMGPU_DEVICES", "many"), testing::ExitedWithCode(125),
              "SIMGPU_DEVICES is 'many', but must be a number");
  EXPECT_EXIT(with("SIMGPU_QUEUE", "0"), testing::ExitedWithCode(125), "SIMGPU_QUEUE");
  EXPECT_EXIT(with("SIMGPU_JITTER", "1.5"), testing::ExitedWithCode(125), "SIMGPU_JITTER");
}

Durations Rules(const char* text, uint64_t seed = 1, double jitter = 0) {
  std::string error;
  const auto parsed = Durations::Parse(text, seed, jitter, &error);
  EXPECT_TRUE(parsed.has_value()) << error;
  return *parsed;
}

TEST(Durations, TheFirstRuleThatFitsWins) {
  const Durations rules = Rules("*gemm*=2ms,*busy*=500us,*=20ns");
  EXPECT_EQ(rules.Rule("_Z4gemmPf"), 2000000u);
  EXPECT_EQ(rules.Rule("busy"), 500000u);
  EXPECT_EQ(rules.Rule("other"), 20u);
  EXPECT_EQ(Rules("*gemm*=1s").Rule("other"), std::nullopt);
  EXPECT_EQ(Rules("x=1.5us").Rule("x"), 1500u);
}

TEST(Durations, WhatIsNoRuleIsRefused) {
  std::string error;
  for (const char* text : {"x", "x=", "x=5", "x=5h", "=5us", "x=-1us"}) {
    EXPECT_FALSE(Durations::Parse(text, 1, 0, &error).has_value()) << text;
    EXPECT_NE(error.find(text), std::string::npos) << error;
  }
}

TEST(Durations, JitterFollowsFromTheSeed) {
  const Durations a = Rules("", 1, 0.1), again = Rules("", 1, 0.1), other = Rules("", 2, 0.1);
  bool differs = false;
  for (uint64_t i = 0; i < 100; ++i) {
    const uint64_t ns = a.Vary(100000, 0, 7, i);
    EXPECT_EQ(ns, again.Vary(100000, 0, 7, i));
    EXPECT_GE(ns, 90000u);
    EXPECT_LE(ns, 110000u);
    differs = differs || ns != other.Vary(100000, 0, 7, i);
  }
  EXPECT_TRUE(differs);
  EXPECT_EQ(Rules("").Vary(100000, 0, 7, 1), 100000u);
}

TEST(Durations, LargerWorkTakesLonger) {
  EXPECT_LT(Durations::OfGrid(1, 32), Durations::OfGrid(100000, 1024));
  EXPECT_LT(Durations::OfCopy(CopyKind::kHostToDevice, false, 1 << 20),
            Durations::OfCopy(CopyKind::kHostToDevice, true, 1 << 20));
  EXPECT_LT(Durations::OfMemset(10), Durations::OfMemset(1 << 30));
}

TEST(Faults, NamesAndValues) {
  std::string error;
  const auto faults = Faults::Parse("out_of_memory,subscribe=39,clock_step=5:10", &error);
  ASSERT_TRUE(faults.has_value()) << error;
  EXPECT_STREQ(faults->Find("out_of_memory"), "");
  EXPECT_STREQ(faults->Find("clock_step"), "5:10");
  EXPECT_EQ(faults->Find("hang"), nullptr);
  EXPECT_EQ(faults->Number("subscribe", 1), 39u);
  EXPECT_EQ(faults->Number("out_of_memory", 7), 7u);
  EXPECT_FALSE(Faults::Parse("", &error)->any());
}

TEST(Faults, AnUnknownNameIsAnErrorThatListsTheKnownOnes) {
  std::string error;
  EXPECT_FALSE(Faults::Parse("out_of_memroy", &error).has_value());
  EXPECT_NE(error.find("'out_of_memroy'"), std::string::npos);
  EXPECT_NE(error.find(" out_of_memory "), std::string::npos);
}

}  // namespace
}  // namespace simgpu
