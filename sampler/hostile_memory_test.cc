// SPDX-License-Identifier: Apache-2.0
// A process that lies in its memory costs bounded time, and says nothing but names of its own.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "sampler/python_codes.h"
#include "sampler/python_threads.h"
#include "sampler/snapshot.h"

namespace syncline {
namespace {

constexpr size_t kMostReads = 2048;

// Words by their addresses; what is not among them is nowhere, or made up.
class FakeMemory final : public RemoteMemory {
 public:
  using RemoteMemory::Read;
  std::map<uint64_t, uint64_t> words;
  uint64_t made_up_of = 0;  // 0: nothing is made up
  size_t calls = 0;
  uint64_t bytes = 0;

  void Put(uint64_t address, int64_t offset, uint64_t word) {
    words[address + static_cast<uint64_t>(offset)] = word;
  }
  size_t Read(std::span<const RemotePiece> pieces) override {
    ++calls;
    for (size_t i = 0; i < pieces.size(); ++i) {
      bytes += pieces[i].bytes;
      if (!ReadOne(pieces[i])) return i;
    }
    return pieces.size();
  }

 private:
  bool ReadOne(const RemotePiece& piece) const {
    for (size_t at = 0; at < piece.bytes; ++at) {
      const uint64_t address = piece.address + at;
      const auto known = words.find(address & ~uint64_t{7});
      if (known == words.end() && made_up_of == 0 && !IsNear(address)) return false;
      const uint64_t word = known != words.end() ? known->second : MadeUp(address & ~uint64_t{7});
      piece.to[at] = static_cast<char>(word >> 8 * (address & 7));
    }
    return true;
  }
  // Of an object of which some words are known, the others are 0.
  bool IsNear(uint64_t address) const {
    const auto next = words.lower_bound(address & ~uint64_t{0xfff});
    return next != words.end() && next->first - (address & ~uint64_t{0xfff}) < 0x1000;
  }
  uint64_t MadeUp(uint64_t address) const {
    if (made_up_of == 0) return 0;
    std::minstd_rand random(static_cast<uint32_t>(address * 2654435761u ^ made_up_of));
    // Many words are addresses of others, or the types that are looked for.
    switch (random() % 4) {
      case 0:
        return 0x1000 + random() % 64 * 8;
      case 1:
        return 0x5000;
      case 2:
        return uint64_t{random()} << 32 | random();
      default:
        return random() % 512;
    }
  }
};

// An interpreter with one thread, whose frames and code are `Frame()`s to come.
struct Fake {
  explicit Fake(uint16_t version) {
    place.layout = *LayoutOfPython(version);
    place.remote = *RemoteLayoutOf(version);
    place.runtime = 0x10000;
    place.code_type = 0x5000;
    place.str_type = 0x6000;
    place.bytes_type = 0x7000;
    place.code_file = 112;
    place.code_name = 120;
    place.code_first_line = 48;
    place.code_table = 128;
    place.code_flags = 32;
    memory.Put(place.runtime, place.remote.runtime_interpreters, kInterpreter);
    memory.Put(kInterpreter, place.remote.interpreter_threads, kState);
    memory.Put(kState, 0, 0);
    memory.Put(kState, place.layout.state_frame, FrameOf(0));
  }
  static constexpr uint64_t kInterpreter = 0x20000, kState = 0x30000, kCode = 0x40000;
  static uint64_t FrameOf(uint64_t number) { return 0x100000 + number * 0x1000; }

  void Frame(uint64_t number, uint64_t previous, uint64_t code = kCode) {
    memory.Put(FrameOf(number), place.layout.frame_code, code);
    memory.Put(FrameOf(number), place.layout.frame_previous, previous);
    memory.Put(kCode, 0, 1);
    memory.Put(kCode, kTypeOffset, place.code_type);
  }
  RemoteThread Walk() {
    Snapshot snapshot(&memory);
    snapshot.Begin(kMostReads);
    PythonThreads threads(place, &snapshot);
    std::vector<RemoteThread> listed;
    has_all = threads.List(&listed);
    count = listed.size();
    if (listed.empty()) return {};
    threads.Walk(&listed[0]);
    return listed[0];
  }

  PythonPlace place;
  FakeMemory memory;
  bool has_all = false;
  size_t count = 0;
};

TEST(HostileMemory, AWalkAsItShouldBe) {
  Fake fake(0x30d);
  fake.Frame(0, Fake::FrameOf(1));
  fake.Frame(1, 0);
  const RemoteThread thread = fake.Walk();
  EXPECT_TRUE(thread.is_readable);
  EXPECT_EQ(thread.frames.size(), 2u);
}

TEST(HostileMemory, FramesThatGoInACircleAreNoStack) {
  Fake fake(0x30d);
  fake.Frame(0, Fake::FrameOf(1));
  fake.Frame(1, Fake::FrameOf(0));
  EXPECT_FALSE(fake.Walk().is_readable);
  EXPECT_LT(fake.memory.calls, 20u);
}

TEST(HostileMemory, FramesOfCThatGoInACircleEnd) {
  Fake fake(0x30d);
  fake.Frame(0, Fake::FrameOf(0), 0x50);
  EXPECT_FALSE(fake.Walk().is_readable);
  EXPECT_LT(fake.memory.calls, kMostReads + 20);
}

TEST(HostileMemory, AnAddressOfNothingIsNoStack) {
  Fake fake(0x30d);
  fake.Frame(0, 0xdead0000dead0000u);
  EXPECT_FALSE(fake.Walk().is_readable);
}

TEST(HostileMemory, ThreadsThatGoInACircleAreAsManyAsTheMost) {
  Fake fake(0x30d);
  fake.Frame(0, 0);
  fake.memory.Put(Fake::kState, fake.place.remote.thread_next, Fake::kState);
  fake.Walk();
  EXPECT_FALSE(fake.has_all);
  EXPECT_EQ(fake.count, kMostRemoteThreads);
}

TEST(HostileMemory, InterpretersThatGoInACircleEnd) {
  Fake fake(0x30d);
  fake.Frame(0, 0);
  fake.memory.Put(Fake::kInterpreter, fake.place.remote.interpreter_next, Fake::kInterpreter);
  fake.Walk();
  EXPECT_LE(fake.count, 16u);
}

TEST(HostileMemory, HugeNamesAndTablesAreCut) {
  Fake fake(0x30d);
  FakeMemory& memory = fake.memory;
  constexpr uint64_t kStr = 0x200000, kTable = 0x300000;
  memory.made_up_of = 1;
  memory.Put(Fake::kCode, 0, 1);
  memory.Put(Fake::kCode, kTypeOffset, fake.place.code_type);
  memory.Put(Fake::kCode, fake.place.code_file, kStr);
  memory.Put(Fake::kCode, fake.place.code_name, kStr);
  memory.Put(Fake::kCode, fake.place.code_table, kTable);
  memory.Put(kStr, kTypeOffset, fake.place.str_type);
  memory.Put(kStr, 16, UINT64_MAX);       // characters
  memory.Put(kStr, 32, 4 << 2 | 1 << 5);  // of four bytes
  memory.Put(kTable, kTypeOffset, fake.place.bytes_type);
  memory.Put(kTable, kSizeOffset, UINT64_MAX);
  char head[kCodeHeadBytes];
  ASSERT_TRUE(memory.Read(Fake::kCode, head, sizeof(head)));
  PythonCodes codes(fake.place, &memory);
  codes.Begin();
  RemoteCode* code = codes.Of(Fake::kCode, head);
  ASSERT_NE(code, nullptr);
  EXPECT_LE(code->file.size(), 1024u);
  EXPECT_LE(code->function.size(), 512u);
  EXPECT_TRUE(code->is_cut);
  EXPECT_LT(memory.bytes, uint64_t{1} << 18);
  // Each line costs a look through its table: of a round there is an end to that.
  size_t lines = 0;
  uint32_t line;
  for (int32_t i = 0; i < 10000; ++i) lines += codes.FindLine(code, i * 2, &line) ? 1u : 0u;
  EXPECT_LT(lines, 20u);
  codes.Begin();
  EXPECT_TRUE(codes.FindLine(code, 9000 * 2, &line));
}

// Whatever the memory says: rounds end, and read no more than they may.
TEST(HostileMemory, MadeUpMemoryCostsBoundedReads) {
  for (const int version : {0x308, 0x30a, 0x30b, 0x30c, 0x30d}) {
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      Fake fake(static_cast<uint16_t>(version));
      fake.memory.words.clear();
      fake.memory.made_up_of = seed;
      Snapshot snapshot(&fake.memory);
      PythonThreads threads(fake.place, &snapshot);
      PythonCodes codes(fake.place, &fake.memory);
      for (int round = 0; round < 3; ++round) {
        fake.memory.calls = 0;
        snapshot.Begin(kMostReads);
        codes.Begin();
        std::vector<RemoteThread> listed;
        threads.List(&listed);
        ASSERT_LE(listed.size(), kMostRemoteThreads);
        for (RemoteThread& thread : listed) {
          threads.Walk(&thread);
          ASSERT_LE(thread.frames.size(), kMostRemoteFrames);
          threads.HolderOf(thread.gil);
          for (const RemoteFrame& frame : thread.frames) {
            const char* head = snapshot.At(frame.code, kCodeHeadBytes);
            if (head != nullptr) codes.Of(frame.code, head);
          }
        }
        ASSERT_LE(fake.memory.calls, kMostReads + 8 * PythonCodes::kMostNew + 8);
      }
    }
  }
}

}  // namespace
}  // namespace syncline
