// SPDX-License-Identifier: Apache-2.0
// Debug information that harms its reader, and readers that die, hang or lie.
#include "symbols/native_lines.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>

#include "model/testing/scratch.h"
#include "symbols/elf_file.h"
#include "symbols/libdw.h"
#include "symbols/testing/native_victims.h"

namespace syncline {
namespace {

using testing::BytesOf;
using testing::Scratch;
using testing::VictimCalls;
using testing::VictimPath;
using testing::WriteBytes;

constexpr NativeLines::Limits kBrief{200, 3};

void Greet(int socket) {
  char request[64];
  EXPECT_EQ(send(socket, "\1", 1, 0), 1);
  EXPECT_GT(recv(socket, request, sizeof(request), 0), 0);
}

void Hang(int socket) {
  Greet(socket);
  for (;;) pause();
}

void Die(int socket) {
  Greet(socket);
  raise(SIGKILL);
}

void Lie(int socket) {
  Greet(socket);
  const std::string lie = "=" + std::string(15, '\xff');
  send(socket, lie.data(), lie.size(), 0);
  for (;;) pause();
}

void SayNothing(int) {
  for (;;) pause();
}

void HaveNone(int socket) { send(socket, "", 1, 0); }

TEST(NativeLines, AReaderThatFailsIsBegunAnewForOtherFilesOnly) {
  for (void (*serve)(int) : {Hang, Die, Lie}) {
    NativeLines lines(serve, kBrief);
    EXPECT_TRUE(lines.At("/a", 1).empty());
    EXPECT_TRUE(lines.At("/a", 2).empty());
    EXPECT_EQ(lines.problems(),
              std::vector<std::string>{
                  "no lines of /a: its debug information could not be read, or not within 10 s"});
    lines.At("/b", 1);
    lines.At("/c", 1);
    EXPECT_EQ(lines.problems().size(), 4u) << "after three it is over";
    lines.At("/d", 1);
    EXPECT_EQ(lines.problems().size(), 4u);
  }
}

TEST(NativeLines, AReaderThatDoesNotBeginIsAskedOnce) {
  for (void (*serve)(int) : {SayNothing, HaveNone}) {
    NativeLines lines(serve, kBrief);
    const auto begin = std::chrono::steady_clock::now();
    for (uint64_t address = 0; address < 100; ++address)
      EXPECT_TRUE(lines.At("/a", address).empty());
    EXPECT_EQ(lines.problems().size(), 1u);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  }
}

TEST(NativeLines, NothingOfTheLaunchersStaysOpenInTheReader) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  NativeLines lines;
  lines.At(VictimPath("whole.so"), 1);
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "the pipe has ended";
  close(ends[0]);
}

TEST(NativeLines, OfWhatIsNoFileNothingIsKnown) {
  if (FindLibdw() == nullptr) GTEST_SKIP() << "no libdw.so.1 here";
  NativeLines lines;
  for (const char* path : {"/none", "/", "/dev/zero", "/proc/self/mem"})
    EXPECT_TRUE(lines.At(path, 1).empty()) << path;
  EXPECT_FALSE(lines.At(VictimPath("whole.so"), VictimCalls()[0]).empty());
  EXPECT_TRUE(lines.problems().empty());
}

// Bytes of the debug sections alone, so that the file is one still.
TEST(NativeLines, DamagedDebugInformationIsSurvived) {
  if (FindLibdw() == nullptr) GTEST_SKIP() << "no libdw.so.1 here";
  const Scratch scratch;
  const std::string good = BytesOf(VictimPath("whole.so"));
  const std::unique_ptr<ElfFile> file = ElfFile::OfBytes(good);
  ASSERT_NE(file, nullptr);
  std::minstd_rand random(11);
  NativeLines lines(ServeLines, {2000, 1000});
  int answered = 0;
  for (int i = 0; i < 300; ++i) {
    std::string bytes = good;
    for (const ElfFile::Section& section : file->sections()) {
      if (!section.name.starts_with(".debug") || section.size == 0) continue;
      for (unsigned flips = random() % 4; flips > 0; --flips)
        bytes[section.offset + random() % section.size] = static_cast<char>(random());
    }
    const std::string path = scratch / ("damaged" + std::to_string(i));
    WriteBytes(path, bytes);
    for (const uint64_t address : VictimCalls())
      answered += lines.At(path, address).empty() ? 0 : 1;
    unlink(path.c_str());
  }
  EXPECT_GT(answered, 100) << "too few got far enough to test anything";
  EXPECT_FALSE(lines.At(VictimPath("whole.so"), VictimCalls()[0]).empty());
}

TEST(LineFrames, ComeBackAsTheyWere) {
  const std::vector<LineFrame> frames = {{"f", true, "/a.cc", 7}, {"", false, "", 0}};
  std::vector<LineFrame> back;
  ASSERT_TRUE(DecodeFrames(EncodeFrames(frames), &back));
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].function, "f");
  EXPECT_TRUE(back[0].mangled);
  EXPECT_EQ(back[0].file, "/a.cc");
  EXPECT_EQ(back[0].line, 7u);
  EXPECT_EQ(back[1].line, 0u);
}

TEST(LineFrames, CutOrTooLargeAreBounded) {
  std::vector<LineFrame> frames(40, {std::string(5000, 'f'), false, "/a.cc", 1}), back;
  const std::string bytes = EncodeFrames(frames);
  EXPECT_LE(bytes.size(), 128u << 10);
  ASSERT_TRUE(DecodeFrames(bytes, &back));
  EXPECT_GT(back.size(), 20u);
  const std::string one = EncodeFrames({{"f", true, "/a.cc", 7}});
  for (size_t size = 1; size < one.size(); ++size)
    EXPECT_FALSE(DecodeFrames(std::string_view(one).substr(0, size), &back)) << size;
}

}  // namespace
}  // namespace syncline
