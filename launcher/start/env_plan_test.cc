// SPDX-License-Identifier: Apache-2.0
// Tests of the environment that a recorded program gets.
#include "launcher/start/env_plan.h"

#include <gtest/gtest.h>

#include <map>

#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

constexpr char kLibrary[] = "/opt/syncline/lib/libsyncline.so";

std::map<std::string, std::string> Plan(const std::vector<std::string>& environment,
                                        const std::vector<EnvChange>& handed_down = {}) {
  std::map<std::string, std::string> result;
  for (const EnvChange& change :
       PlanEnvironment({kLibrary, handed_down, kLibrary}, EnvBlock(environment))) {
    EXPECT_EQ(result.count(change.name), 0u) << change.name << " is changed twice";
    result[change.name] = change.value;
  }
  return result;
}

TEST(EnvPlanTest, EmptyEnvironmentGetsAllDoors) {
  const auto plan = Plan({});
  EXPECT_EQ(plan.at("LD_PRELOAD"), kLibrary);
  EXPECT_EQ(plan.at("NVTX_INJECTION64_PATH"), kLibrary);
  EXPECT_EQ(plan.at("CUDA_INJECTION64_PATH"), kLibrary);
  EXPECT_EQ(plan.at("ASAN_OPTIONS"), "verify_asan_link_order=0");
  EXPECT_EQ(plan.size(), 4u);
}

TEST(EnvPlanTest, UsersPreloadsStayInFront) {
  EXPECT_EQ(Plan({"LD_PRELOAD=/usr/lib/libjemalloc.so"}).at("LD_PRELOAD"),
            std::string("/usr/lib/libjemalloc.so:") + kLibrary);
  EXPECT_EQ(Plan({"LD_PRELOAD=a.so b.so"}).at("LD_PRELOAD"), std::string("a.so b.so:") + kLibrary);
}

TEST(EnvPlanTest, LibraryIsNamedOnce) {
  EXPECT_EQ(Plan({std::string("LD_PRELOAD=") + kLibrary}).count("LD_PRELOAD"), 0u);
  EXPECT_EQ(Plan({std::string("LD_PRELOAD=a.so:") + kLibrary + " b.so"}).count("LD_PRELOAD"), 0u);
  // A longer name that only begins like ours is another library.
  EXPECT_EQ(Plan({std::string("LD_PRELOAD=") + kLibrary + ".1"}).at("LD_PRELOAD"),
            std::string(kLibrary) + ".1:" + kLibrary);
}

TEST(EnvPlanTest, AnotherCopyOfTheLibraryGivesWay) {
  const std::string other = "/venv/libexec/syncline/libsyncline.so";
  EXPECT_EQ(Plan({"LD_PRELOAD=" + other}).at("LD_PRELOAD"), kLibrary);
  EXPECT_EQ(Plan({"LD_PRELOAD=" + other + ".1 a.so:" + other + ":b.so"}).at("LD_PRELOAD"),
            other + ".1 a.so:" + kLibrary + ":b.so");
  EXPECT_EQ(Plan({"LD_PRELOAD=libsyncline.so"}).at("LD_PRELOAD"), kLibrary);
  const auto plan = Plan({"NVTX_INJECTION64_PATH=" + other, "SYNCLINE_OLD_NVTX=/x/nvtx.so"});
  EXPECT_EQ(plan.at("NVTX_INJECTION64_PATH"), kLibrary);
  EXPECT_EQ(plan.count("SYNCLINE_OLD_NVTX"), 0u) << "it would be called beside ours";
  EXPECT_EQ(PreloadedLibrary(EnvBlock({"LD_PRELOAD=a.so:" + other})), other);
  EXPECT_EQ(PreloadedLibrary(EnvBlock({"LD_PRELOAD=a.so"})), "");
}

TEST(EnvPlanTest, UsersInjectionsAreHandedDown) {
  const auto plan = Plan({"NVTX_INJECTION64_PATH=/x/nvtx.so", "CUDA_INJECTION64_PATH=/x/cuda.so"});
  EXPECT_EQ(plan.at("NVTX_INJECTION64_PATH"), kLibrary);
  EXPECT_EQ(plan.at("SYNCLINE_OLD_NVTX"), "/x/nvtx.so");
  EXPECT_EQ(plan.at("CUDA_INJECTION64_PATH"), kLibrary);
  EXPECT_EQ(plan.at("SYNCLINE_OLD_CUDA"), "/x/cuda.so");
}

TEST(EnvPlanTest, WhatDoorsHandDownIsReadByTheLibrary) {
  for (const Door& door : AllDoors())
    EXPECT_TRUE(std::string_view(door.old).starts_with(kOldPrefix)) << door.variable;
}

TEST(EnvPlanTest, OwnInjectionOfAnOuterPlanIsNotHandedDown) {
  const auto plan =
      Plan({std::string("NVTX_INJECTION64_PATH=") + kLibrary, "SYNCLINE_OLD_NVTX=/x/nvtx.so"});
  EXPECT_EQ(plan.count("SYNCLINE_OLD_NVTX"), 0u);
  EXPECT_EQ(plan.count("NVTX_INJECTION64_PATH"), 0u);
}

TEST(EnvPlanTest, AsanOptionsAreExtendedUnlessTheUserDecided) {
  EXPECT_EQ(Plan({"ASAN_OPTIONS=detect_leaks=0"}).at("ASAN_OPTIONS"),
            "detect_leaks=0:verify_asan_link_order=0");
  EXPECT_EQ(Plan({"ASAN_OPTIONS=verify_asan_link_order=1"}).count("ASAN_OPTIONS"), 0u);
}

TEST(EnvPlanTest, HandedDownVariablesReplaceOthers) {
  const auto plan = Plan({"SYNCLINE_SOCKET=/old", "SYNCLINE_JOB_KEY=same"},
                         {{"SYNCLINE_SOCKET", "/new"}, {"SYNCLINE_JOB_KEY", "same"}});
  EXPECT_EQ(plan.at("SYNCLINE_SOCKET"), "/new");
  EXPECT_EQ(plan.count("SYNCLINE_JOB_KEY"), 0u);
}

TEST(EnvPlanTest, BlockKeepsWhatIsNotChanged) {
  EnvBlock block({"A=1", "malformed", "B=2", "A=3", "=odd"});
  block.Set({"B", "new"});
  block.Set({"C", ""});
  const std::vector<std::string> expected = {"A=1", "malformed", "B=new", "A=3", "=odd", "C="};
  EXPECT_EQ(block.entries(), expected);
  EXPECT_STREQ(block.Find("A"), "1");
  EXPECT_STREQ(block.Find("C"), "");
  EXPECT_EQ(block.Find("malformed"), nullptr);
}

// A driver may look for the file before it opens it; NVTX gives the value to dlopen.
TEST(EnvPlanTest, OnlyNvtxIsToldThePathWithAPlatform) {
  const std::string preload = "/opt/syncline/lib/syncline/$PLATFORM/libsyncline.so";
  EnvBlock block({"NVTX_INJECTION64_PATH=/x/nvtx.so"});
  for (const EnvChange& change : PlanEnvironment({kLibrary, {}, preload}, block)) block.Set(change);
  EXPECT_EQ(block.Find("LD_PRELOAD"), preload);
  EXPECT_EQ(block.Find("NVTX_INJECTION64_PATH"), preload);
  EXPECT_STREQ(block.Find("SYNCLINE_OLD_NVTX"), "/x/nvtx.so");
  EXPECT_STREQ(block.Find("CUDA_INJECTION64_PATH"), kLibrary);
  EXPECT_EQ(PlanEnvironment({kLibrary, {}, preload}, block).size(), 0u);  // again, as for a join
  EXPECT_EQ(LibraryBehindDoors(block), kLibrary);
}

TEST(EnvPlanTest, WithoutAPreloadTheDoorsAloneAreSet) {
  EnvBlock block({"LD_PRELOAD=/x.so"});
  EXPECT_EQ(LibraryBehindDoors(block), "");
  for (const EnvChange& change : PlanEnvironment({kLibrary, {}, ""}, block)) block.Set(change);
  EXPECT_STREQ(block.Find("LD_PRELOAD"), "/x.so");
  EXPECT_STREQ(block.Find("CUDA_INJECTION64_PATH"), kLibrary);
  EXPECT_EQ(block.Find("ASAN_OPTIONS"), nullptr);
  EXPECT_EQ(LibraryBehindDoors(block), kLibrary);
}

TEST(EnvPlanTest, PathsThatLdPreloadCannotName) {
  EXPECT_EQ(PreloadPathProblem(kLibrary), "");
  EXPECT_NE(PreloadPathProblem("/home/a b/libsyncline.so"), "");
  EXPECT_NE(PreloadPathProblem("/home/a:b/libsyncline.so"), "");
  EXPECT_EQ(PreloadPathProblem("/home/$USER/libsyncline.so"), "");
  for (const char* token : {"$LIB", "$ORIGIN", "$PLATFORM", "${LIB}"}) {
    const std::string problem = PreloadPathProblem(Text("/opt/", token, "/libsyncline.so"));
    EXPECT_NE(problem.find(Text(" has ", token, " in it")), std::string::npos) << problem;
  }
}

}  // namespace
}  // namespace syncline
