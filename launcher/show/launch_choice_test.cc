// SPDX-License-Identifier: Apache-2.0
// Names of functions, which launch is chosen, and how many come before it.
#include "launcher/show/launch_choice.h"

#include <gtest/gtest.h>

#include "launcher/show/kernel_profile_line.h"

namespace syncline {
namespace {

TEST(LaunchChoiceTest, FunctionOfAKernel) {
  EXPECT_EQ(FunctionOfKernel("gemm"), "gemm");
  EXPECT_EQ(FunctionOfKernel("void gemm<float>(float*, int)"), "gemm");
  EXPECT_EQ(
      FunctionOfKernel("void at::native::foo<4, at::native::Bar<float>, std::array<char*, 2ul> "
                       ">(int, at::native::Bar<float>, std::array<char*, 2ul>)"),
      "foo");
  EXPECT_EQ(FunctionOfKernel("(anonymous namespace)::gather(float const*)"), "gather");
  EXPECT_EQ(
      FunctionOfKernel("void (anonymous namespace)::softmax<float, f(int)::{lambda()#1}>(int)"),
      "softmax");
  EXPECT_EQ(FunctionOfKernel("ampere_sgemm_128x64_nn"), "ampere_sgemm_128x64_nn");
  EXPECT_EQ(FunctionOfKernel("_Z3fooPf"), "");
  EXPECT_EQ(FunctionOfKernel(""), "");
  EXPECT_EQ(FunctionOfKernel("odd)"), "odd)");
  EXPECT_EQ(FunctionOfKernel(">"), ">");
}

KernelLaunch LaunchAt(uint64_t ns, uint32_t name, uint64_t length_ns) {
  KernelLaunch launch;
  launch.name = name;
  launch.process = launch.thread = 7;
  launch.call_ns = launch.begin_ns = ns;
  launch.length_ns = length_ns;
  launch.correlation = ns;
  launch.has_call = true;
  return launch;
}

// Two functions of one name and another one; calls of a stage around some.
std::vector<RankLaunches> OneRank() {
  std::vector<RankLaunches> ranks(1);
  ranks[0].name = "rank-0";
  ManifestProcess process;
  process.pid = 7;
  process.name = "prog";
  process.arguments = {"./prog", "a b", ""};
  process.device_ops = 6;
  ranks[0].manifest.processes.push_back(process);
  KernelLaunches& found = ranks[0].found;
  found.names = {"void gemm<float>(float*)", "void gemm<int>(int*)", "relu(float*)"};
  found.launches = {LaunchAt(10, 0, 900), LaunchAt(20, 1, 10), LaunchAt(30, 0, 100),
                    LaunchAt(40, 0, 50),  LaunchAt(50, 2, 20), LaunchAt(60, 0, 70)};
  found.stage_calls = {{7, 7, false, "step 1", "", 25, 35}, {7, 7, false, "step 2", "a/b", 38, 70}};
  found.launches[2].stage = 0;
  for (const size_t i : {3u, 4u, 5u}) found.launches[i].stage = 1;
  return ranks;
}

TEST(LaunchChoiceTest, MedianAndWhatComesBefore) {
  const std::vector<RankLaunches> ranks = OneRank();
  const std::vector<ChosenLaunch> chosen = ChooseLaunches(ranks, false, 2);
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen[0].kernel, "void gemm<float>(float*)");
  EXPECT_EQ(chosen[0].length_ns, 70u);  // of 50, 70, 100 and 900
  EXPECT_EQ(chosen[0].before, 4u);      // the other instance of the function counts
  EXPECT_EQ(chosen[0].fitting, 5u);
  EXPECT_EQ(ProfileCommand(chosen[0], ranks[0]),
            "ncu --target-processes all --kernel-name-base function --kernel-name gemm "
            "--launch-skip 4 --launch-count 1 ./prog 'a b' ''");
}

TEST(LaunchChoiceTest, WithinOneCallOfAStage) {
  const std::vector<RankLaunches> ranks = OneRank();
  const std::vector<ChosenLaunch> chosen = ChooseLaunches(ranks, true, 9);
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen[0].total_ns, 220u);
  EXPECT_EQ(chosen[0].length_ns, 70u);  // of 50, 70 and 100
  EXPECT_EQ(chosen[0].before, 1u);      // in calls of that name
  EXPECT_EQ(chosen[0].fitting, 2u);
  ASSERT_TRUE(chosen[0].within.has_value());
  EXPECT_EQ(NvtxFilter(*chosen[0].within), "a\\/b@step 2/");
}

// Nsight Compute counts a range for the thread that has it.
TEST(LaunchChoiceTest, WhatAnotherThreadLaunchesForTheStageHasNoFilter) {
  std::vector<RankLaunches> ranks = OneRank();
  for (KernelLaunch& launch : ranks[0].found.launches) launch.is_helped = launch.stage >= 0;
  const ChosenLaunch chosen = ChooseLaunches(ranks, true, 1)[0];
  EXPECT_EQ(chosen.length_ns, 70u);
  EXPECT_EQ(chosen.before, 4u);
  EXPECT_EQ(chosen.fitting, 5u);
  EXPECT_EQ(ProfileCommand(chosen, ranks[0]).find("--nvtx"), std::string::npos);
  EXPECT_NE(ProfileLines(chosen, ranks[0]).find("a thread that works for `step 2`"),
            std::string::npos);
  ranks[0].manifest.processes[0].gate.not_recorded.device_ops = 1;
  EXPECT_EQ(ChooseLaunches(ranks, true, 1, "step*")[0].problem.find("not all"), 0u);
}

TEST(LaunchChoiceTest, LinesForPeopleAreShort) {
  std::vector<RankLaunches> ranks = OneRank();
  ranks[0].found.names[0] = "void at::native::gemm<" + std::string(5000, 'x') + ">(float*)";
  const std::string lines = ProfileLines(ChooseLaunches(ranks, true, 1)[0], ranks[0]);
  EXPECT_NE(lines.find("# gemm<xxx"), std::string::npos) << lines;
  for (size_t at = 0, end; (end = lines.find('\n', at)) != std::string::npos; at = end + 1)
    EXPECT_LE(end - at, 200u) << lines.substr(at, end - at);
}

TEST(LaunchChoiceTest, ACutLineStartsNothing) {
  std::vector<RankLaunches> ranks = OneRank();
  ranks[0].manifest.processes[0].arguments_cut = true;
  EXPECT_EQ(ProfileCommand(ChooseLaunches(ranks, false, 1)[0], ranks[0]), "");
}

TEST(LaunchChoiceTest, WhatIsLeftOutIsNotCounted) {
  std::vector<RankLaunches> ranks = OneRank();
  ranks[0].manifest.processes[0].not_shown.device_ops = 1;
  EXPECT_NE(ChooseLaunches(ranks, false, 1)[0].problem, "");
  EXPECT_EQ(ProfileCommand(ChooseLaunches(ranks, false, 1)[0], ranks[0]), "");
}

TEST(LaunchChoiceTest, ARankIsStartedByItsJob) {
  std::vector<RankLaunches> ranks = OneRank();
  ranks[0].manifest.rank = 3;
  ranks[0].manifest.world_size = 4;
  ranks[0].manifest.launcher = "openmpi";
  const std::string command = ProfileCommand(ChooseLaunches(ranks, false, 1)[0], ranks[0]);
  EXPECT_TRUE(command.starts_with("sh -c 'if [ \"$OMPI_COMM_WORLD_RANK\" = 3 ]; then exec ncu "))
      << command;
  EXPECT_TRUE(command.ends_with("exec \"$@\"' sh ./prog 'a b' ''")) << command;
}

}  // namespace
}  // namespace syncline
