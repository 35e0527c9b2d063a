// SPDX-License-Identifier: Apache-2.0
// Tests of finding programs and of judging how they can be recorded.
#include "launcher/start/program.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "model/testing/test_directory.h"

namespace syncline {
namespace {

constexpr char kScript[] = "#!/bin/sh\nexit 0\n";

TEST(ProgramTest, SearchesAlongThePathInItsOrder) {
  const TestDirectory directory;
  std::filesystem::create_directories(directory / "a");
  std::filesystem::create_directories(directory / "b");
  const std::string path = directory / "a" + ":" + (directory / "b");
  EXPECT_EQ(FindProgram("prog", path.c_str()).exit_code, kExitNotFound);
  const std::string in_b = directory.Write("b/prog", kScript, 0755);
  EXPECT_EQ(FindProgram("prog", path.c_str()).path, in_b);
  directory.Write("a/prog", kScript, 0644);  // not executable: the next one counts, as with execvp
  EXPECT_EQ(FindProgram("prog", path.c_str()).path, in_b);
  const std::string in_a = directory.Write("a/prog", kScript, 0755);
  EXPECT_EQ(FindProgram("prog", path.c_str()).path, in_a);
}

TEST(ProgramTest, NamesWithASlashAreNotSearched) {
  const TestDirectory directory;
  const std::string file = directory.Write("prog", kScript, 0755);
  EXPECT_EQ(FindProgram(file, "/nowhere").path, file);
  const FoundProgram missing = FindProgram(directory / "other", directory.path().c_str());
  EXPECT_EQ(missing.exit_code, kExitNotFound);
  EXPECT_NE(missing.error.find("no such file"), std::string::npos);
}

TEST(ProgramTest, WhatIsThereButCannotRunIs126) {
  const TestDirectory directory;
  const FoundProgram plain = FindProgram(directory.Write("data", "text", 0644), nullptr);
  EXPECT_EQ(plain.exit_code, kExitNotExecutable);
  EXPECT_NE(plain.error.find("chmod +x"), std::string::npos);
  const FoundProgram folder = FindProgram(directory.path(), nullptr);
  EXPECT_EQ(folder.exit_code, kExitNotExecutable);
  EXPECT_NE(folder.error.find("directory"), std::string::npos);
  const FoundProgram searched = FindProgram("data", directory.path().c_str());
  EXPECT_EQ(searched.exit_code, kExitNotExecutable);
}

TEST(ProgramTest, TheEmptyNameIsNotFound) {
  EXPECT_EQ(FindProgram("", "/bin").exit_code, kExitNotFound);
}

TEST(ProgramTest, OrdinaryProgramsAndScriptsAreRecorded) {
  const TestDirectory directory;
  EXPECT_EQ(JudgeProgram("/bin/sh").reach, Reach::kAll);
  EXPECT_EQ(JudgeProgram(directory.Write("script", kScript, 0755)).reach, Reach::kAll);
  EXPECT_EQ(JudgeProgram(directory.Write("text", "echo\n", 0755)).reach, Reach::kAll);
  EXPECT_EQ(JudgeProgram(directory / "missing").reach, Reach::kAll);
}

TEST(ProgramTest, WhatLoadsLibrariesByItselfIsRecorded) {
  const std::string loader = "/lib64/ld-linux-x86-64.so.2";
  if (std::filesystem::exists(loader)) {
    EXPECT_EQ(JudgeProgram(loader).reach, Reach::kAll);
  }
}

TEST(ProgramTest, MissingInterpretersAreNamed) {
  const TestDirectory directory;
  const std::string bad =
      MissingInterpreter(directory.Write("bad", "#!/no/such/interpreter -x\n", 0755));
  EXPECT_NE(bad.find("/no/such/interpreter"), std::string::npos) << bad;
  EXPECT_EQ(MissingInterpreter(directory.Write("good", kScript, 0755)), "");
  EXPECT_EQ(MissingInterpreter("/proc/self/exe"), "");
  EXPECT_EQ(MissingInterpreter(directory / "none"), "");
}

TEST(ProgramTest, SetuidProgramsOfOthersArePassedBy) {
  const TestDirectory directory;
  struct statvfs system = {};
  ASSERT_EQ(statvfs(directory.path().c_str(), &system), 0);
  if (geteuid() != 0 || (system.f_flag & ST_NOSUID) != 0)
    GTEST_SKIP() << "needs root and a file system with setuid";
  const std::string file = directory / "shell";
  std::filesystem::copy_file("/bin/sh", file);
  ASSERT_EQ(chown(file.c_str(), 12345, 12345), 0);
  ASSERT_EQ(chmod(file.c_str(), 04755), 0);
  const Judgement judgement = JudgeProgram(file);
  EXPECT_EQ(judgement.reach, Reach::kNothing);
  EXPECT_NE(judgement.why.find("setuid"), std::string::npos);
  ASSERT_EQ(chmod(file.c_str(), 02755), 0);
  EXPECT_EQ(JudgeProgram(file).reach, Reach::kNothing);
  ASSERT_EQ(chmod(file.c_str(), 0755), 0);
  EXPECT_EQ(JudgeProgram(file).reach, Reach::kAll);
}

}  // namespace
}  // namespace syncline
