// SPDX-License-Identifier: Apache-2.0
// Tests of what is said of programs that were started without our variables.
#include "launcher/record/lost_programs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "inject/core/text.h"

namespace syncline {
namespace {

constexpr uint32_t kNvtx = 1u << 1, kCuda = 1u << 2;  // by their source numbers
constexpr Lack kAll = {kLostPreload | kLostSocket, kNvtx | kCuda, 0, 0, 0};

LostProgramNote Note(const Lack& lack, const char* program, int rank = -1, uint32_t started = 1) {
  LostProgramNote note = {kLostNoteMagic, 0, lack, rank, started, {}};
  CopyText(note.program, sizeof(note.program), program);
  return note;
}

using Texts = std::vector<std::string>;

TEST(LostProgramsTest, AreCountedByProgramAndTakenBackWhereTheyDoNotStart) {
  LostPrograms programs;
  for (int i = 0; i < 3; ++i) CountLostProgram(Note(kAll, "/x/r"), &programs);
  CountLostProgram(Note(kAll, "/x/none", 2), &programs);
  CountLostProgram(Note(kAll, "/x/none", 2, 0), &programs);
  CountLostProgram(Note(kAll, "/x/r", -1, 0), &programs);
  CountLostProgram(Note(kAll, "/x/never", -1, 0), &programs);
  ASSERT_EQ(programs[-1].size(), 1u);
  EXPECT_EQ(programs[-1][0].path, "/x/r");
  EXPECT_EQ(programs[-1][0].count, 2u);
  EXPECT_TRUE(programs[2].empty());
}

TEST(LostProgramsTest, StayFewWhateverIsSaid) {
  LostPrograms programs;
  LostProgramNote note = Note(kAll, "");
  std::memset(note.program, 'x', sizeof(note.program));  // without an end
  for (int i = 0; i < 10000; ++i) {
    note.program[0] = static_cast<char>('0' + i % 100);
    note.rank = i;
    CountLostProgram(note, &programs);
    note.rank = 0;
    CountLostProgram(note, &programs);
  }
  EXPECT_LE(programs.size(), 4097u);
  EXPECT_LE(programs[0].size(), 64u);
  uint64_t all = 0;
  for (const LostProgram& program : AllLostPrograms(programs)) all += program.count;
  EXPECT_EQ(all, 20000u);
}

TEST(LostProgramsTest, NothingIsThereOfAProgramWithoutAnyVariable) {
  EXPECT_EQ(LostProgramTexts({{kAll, "/x/r", 99}, {kAll, "./s", 1}}, "", false),
            (Texts{"100 programs were started without Syncline's LD_PRELOAD and other variables "
                   "(the first: r): nothing of them is recorded (--follow-env gives them back)"}));
  EXPECT_EQ(LostProgramTexts({{kAll, "r", 1}}, "cuda", true),
            (Texts{"1 program was started without Syncline's LD_PRELOAD and other variables (r): "
                   "nothing of it is recorded, because --follow-env could not give them back"}));
}

TEST(LostProgramsTest, EachCollectorThatHasNoWayInIsNamed) {
  EXPECT_EQ(LostProgramTexts({{{kLostPreload, 0, 0, 0, 0}, "/x/r", 1}}, "", false),
            (Texts{"1 program was started without Syncline's LD_PRELOAD (r): Level Zero calls "
                   "and regions of syncline.h of it "
                   "are missing (--follow-env gives them back)"}));
  EXPECT_EQ(LostProgramTexts({{{kLostPreload, 0, 0, 0, 0}, "/x/r", 1}}, "nvtx,cuda", false),
            Texts());
  EXPECT_EQ(LostProgramTexts(
                {{{0, kCuda, 0, 0, 0}, "/x/r", 2}, {{kLostSocket, kCuda, 0, 0, 0}, "/x/s", 1}}, "",
                false),
            (Texts{"2 programs were started without Syncline's CUDA_INJECTION64_PATH (the first: "
                   "r): CUDA calls of them are missing (--follow-env gives them back)",
                   "1 program was started without Syncline's CUDA_INJECTION64_PATH and "
                   "SYNCLINE_SOCKET (s): CUDA calls of it are missing (--follow-env gives them "
                   "back)"}));
  EXPECT_EQ(LostProgramTexts({{{kLostPreload, kCuda, 0, 0, 0}, "/x/r", 1}}, "nvtx,cuda", false),
            (Texts{"1 program was started without Syncline's LD_PRELOAD and "
                   "CUDA_INJECTION64_PATH (r): CUDA calls of it are missing (--follow-env gives "
                   "them back)"}));
  EXPECT_EQ(LostProgramTexts({{{kLostSocket, 0, 0, 0, 0}, "/x/r", 1}}, "", false),
            (Texts{"1 program was started without Syncline's SYNCLINE_SOCKET (r): what is recorded "
                   "of it is not in this run (--follow-env gives them back)"}));
}

TEST(LostProgramsTest, AToolOfTheProgramsOwnKeepsItsVariable) {
  for (const bool follows : {false, true}) {
    EXPECT_EQ(LostProgramTexts({{{0, kNvtx, 0, 0, kNvtx}, "/x/r", 1}}, "nvtx,cuda", follows),
              (Texts{"1 program was started with another library in NVTX_INJECTION64_PATH (r), "
                     "which stays there: NVTX ranges of it are missing; what can be recorded of "
                     "it: CUDA calls"}));
    EXPECT_EQ(LostProgramTexts({{{0, kNvtx, 0, 0, kNvtx}, "/x/r", 2}}, "nvtx", follows),
              (Texts{"2 programs were started with another library in NVTX_INJECTION64_PATH (the "
                     "first: r), which stays there: nothing of them is recorded"}));
    EXPECT_EQ(LostProgramTexts({{{0, kNvtx, 0, 0, kNvtx}, "/x/r", 1}}, "cuda", follows), Texts());
  }
  EXPECT_EQ(LostProgramTexts({{{kLostPreload, kNvtx, 0, 0, kNvtx}, "/x/r", 1}}, "", false),
            (Texts{"1 program was started without Syncline's LD_PRELOAD (r): NVTX ranges, "
                   "Level Zero calls and regions of syncline.h of it are missing (--follow-env "
                   "gives them back, but for "
                   "NVTX_INJECTION64_PATH, where another library stays)"}));
}

TEST(LostProgramsTest, OfSetuidProgramsTheWayAroundIsTold) {
  EXPECT_EQ(
      LostProgramTexts({{{0, 0, 1, 0, 0}, "/usr/bin/sudo", 2}}, "", false),
      (Texts{"2 setuid programs were started (the first: sudo): the system loads nothing into "
             "them, and what they start is not recorded either (put syncline behind: `sudo "
             "syncline -- PROGRAM`)"}));
}

TEST(LostProgramsTest, OfThoseThatMpisLauncherStartedTheWayAroundIsTold) {
  constexpr Lack kLaunched = {0, 0, 0, 1, 0};
  LostPrograms programs;
  CountLostProgram(Note(kLaunched, "/x/worker", 3, 4), &programs);
  CountLostProgram(Note(kAll, "/x/r", 3), &programs);
  EXPECT_EQ(LostProgramTexts({programs[3][0]}, "", false),
            (Texts{"MPI_Comm_spawn started 4 processes of worker: nothing of them is recorded, "
                   "because they get the environment of MPI's launcher (put syncline before that: "
                   "`syncline -- mpirun ... PROGRAM`)"}));
  DropLaunched(&programs);
  ASSERT_EQ(programs[3].size(), 1u) << "syncline stands before it: they are recorded";
  EXPECT_EQ(programs[3][0].path, "/x/r");
}

TEST(LostProgramsTest, WhatCouldNotBeRecordedAnywayIsNoLoss) {
  if (access("/sbin/ldconfig", R_OK) != 0)
    GTEST_SKIP() << "ldconfig, which is static, is not there";
  LostPrograms programs;
  CountLostProgram(Note(kAll, "/sbin/ldconfig"), &programs);
  CountLostProgram(Note(kAll, "/bin/sh"), &programs);
  CountLostProgram(Note(kAll, "sh"), &programs);
  DropUnrecordable(&programs);
  for (const LostProgram& program : programs[-1]) EXPECT_TRUE(program.path.ends_with("sh"));
  EXPECT_EQ(programs[-1].size(), 2u);
}

}  // namespace
}  // namespace syncline
