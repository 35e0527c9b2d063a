// SPDX-License-Identifier: Apache-2.0
// Tests of what is said of a run that recorded nothing.
#include "launcher/record/nothing_recorded.h"

#include <gtest/gtest.h>

namespace syncline::nothing_recorded_test {
namespace {

constexpr uint32_t kNvtx = 1u << 1, kCuda = 1u << 2, kLevelZero = 1u << 3, kPython = 1u << 5,
                   kProgram = 1u << 7;  // by their source numbers
constexpr char kNone[] = "nothing was recorded: the launcher saw no process with ";
constexpr char kAll[] =
    "NVTX ranges, CUDA calls, Level Zero calls, Python functions that --python-ranges names or "
    "regions of syncline.h";
constexpr char kDoctor[] = "; `syncline doctor` tells what can be recorded here";

TEST(NothingRecordedTest, NamesWhatWasLookedFor) {
  for (const char* list : {"", "all", "level_zero, cuda, nvtx, python, program"})
    EXPECT_EQ(NothingRecordedLine({.list = list}), std::string(kNone) + kAll + kDoctor);
  EXPECT_EQ(NothingRecordedLine({.list = "nvtx", .on_line = true}),
            std::string(kNone) + "NVTX ranges" + kDoctor);
}

TEST(NothingRecordedTest, NamesWhatWasLeftOutAndUsed) {
  EXPECT_EQ(NothingRecordedLine({.list = "cuda", .on_line = true, .left_out = kNvtx}),
            std::string(kNone) +
                "CUDA calls; there were NVTX ranges, which --collect cuda leaves "
                "out (--collect nvtx,cuda records them)");
  EXPECT_EQ(NothingRecordedLine({.list = "nvtx, nvtx", .left_out = kCuda}),
            std::string(kNone) +
                "NVTX ranges; there were CUDA calls, which "
                "SYNCLINE_COLLECT='nvtx, nvtx' leaves out (--collect nvtx,cuda "
                "records them)");
}

// What a process says is not believed without looking.
TEST(NothingRecordedTest, SourcesThatAreNoneOrCollectedAreNotLeftOut) {
  EXPECT_EQ(
      NothingRecordedLine({.list = "cuda", .left_out = ~(kNvtx | kLevelZero | kPython | kProgram)}),
      std::string(kNone) + "CUDA calls" + kDoctor);
  EXPECT_EQ(NothingRecordedLine({.list = "", .left_out = ~0u}),
            std::string(kNone) + kAll + kDoctor);
}

TEST(NothingRecordedTest, NamesServersThatRunWithoutUs) {
  const std::string none = std::string(kNone) + "CUDA calls; ";
  EXPECT_EQ(NothingRecordedLine({.list = "cuda", .servers = {"raylet (pid 5)"}}),
            none +
                "the program was connected to raylet (pid 5), which Syncline did not start: if "
                "that one does the work, put `syncline --` before the command that starts it");
  EXPECT_NE(NothingRecordedLine({.list = "cuda", .servers = {"a (pid 5)", "b (pid 6)"}})
                .find("connected to a (pid 5) and b (pid 6), which Syncline did not start: if one "
                      "of these does the work"),
            std::string::npos);
  // What was left out, and used, explains more.
  EXPECT_EQ(NothingRecordedLine({.list = "cuda", .left_out = kNvtx, .servers = {"raylet (pid 5)"}})
                .find("raylet"),
            std::string::npos);
}

TEST(NothingRecordedTest, ProgramsMayBeLeftOut) {
  EXPECT_EQ(NothingRecordedLine({.list = "cuda", .skip = "python*"}),
            std::string(kNone) + "CUDA calls; --skip leaves out 'python*'");
}

TEST(NothingRecordedTest, WhatWasRefusedIsToldAlready) {
  EXPECT_EQ(NothingRecordedLine({.list = "cuda", .left_out = kNvtx, .refused = true}),
            "nothing was recorded; see above");
}

}  // namespace
}  // namespace syncline::nothing_recorded_test
