// SPDX-License-Identifier: Apache-2.0
// Whose log it is where numbers of processes come twice, and what is too much.
#include "offline/compile_logs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "model/devices/source_facts.h"
#include "model/testing/scratch.h"
#include "offline/compile_findings.h"

namespace syncline {
namespace {

const SourceFacts& WithLog() {
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    if (kSourceFacts[i]->compile_log != nullptr) return *kSourceFacts[i];
  }
  std::abort();
}

class CompileLogsTest : public ::testing::Test {
 protected:
  void Write(const std::string& node, int64_t pid, const std::string& function, size_t times = 1) {
    const std::string folder = CompileLogFolder(run.path(), WithLog(), node);
    std::filesystem::create_directories(folder);
    std::ofstream file(folder + "/" + std::to_string(files++) + ".log");
    for (size_t i = 0; i < times; ++i)
      file << "V1130 05:31:00.303000 " << pid << " torch/a.py:1] {\"compilation_metrics\": "
           << "{\"compile_id\": \"0/0\", \"co_name\": \"" << function << "\"}}\n";
  }
  // "f()": the functions of a process.
  std::string Of(const std::string& host, int32_t pid) {
    const CompileLogs logs(run.path());
    problems = logs.problems();
    RankModel model;
    for (uint32_t i = 0; i < 2; ++i) {  // one, that became another program
      ProgramRun& one = *model.runs.emplace_back(std::make_unique<ProgramRun>());
      one.index = i;
      host.copy(one.facts.host, sizeof(one.facts.host) - 1);
      one.facts.pid = pid;
    }
    logs.AddTo(&model);
    RunFindings findings;
    RankPart part;
    AddCompilations(model, &findings, &part);
    std::string text;
    for (const auto& [key, sums] : findings.compilations)
      text += key.where + " " + std::to_string(sums.count) + "\n";
    return text;
  }

  testing::Scratch run;
  size_t files = 0;
  std::vector<std::string> problems;
};

TEST_F(CompileLogsTest, NumbersOfProcessesAreANodes) {
  Write("node-a", 7, "a");
  Write("node-b", 7, "b");
  Write("node-b", 8, "c");
  EXPECT_EQ(Of("node-a", 7), "a() 1\n");
  EXPECT_EQ(Of("node-b", 7), "b() 1\n");
  EXPECT_EQ(Of("node-a", 8), "") << "of another node's process";
}

TEST_F(CompileLogsTest, ANodeWithoutALauncherHasItsLogWithAnother) {
  Write("node-a", 7, "a");
  EXPECT_EQ(Of("node-c", 7), "a() 1\n");
  EXPECT_EQ(Of("node-c", 8), "");
}

TEST_F(CompileLogsTest, WhatIsTooMuchIsTold) {
  Write("node-a", 7, "a", CompileLogs::kMostEvents + 3);
  EXPECT_EQ(Of("node-a", 7), "a() " + std::to_string(CompileLogs::kMostEvents) + "\n");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].substr(0, 24), "3 compilations not told:");
}

TEST_F(CompileLogsTest, WhatIsOfNoProcessIsTold) {
  Write("node-a", 140175959933504, "a", 2);
  EXPECT_EQ(Of("node-a", 7), "");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0], "2 compilations not told: the log does not say which process it was");
}

TEST_F(CompileLogsTest, ARunWithoutLogsHasNone) { EXPECT_EQ(Of("node-a", 7), ""); }

}  // namespace
}  // namespace syncline
