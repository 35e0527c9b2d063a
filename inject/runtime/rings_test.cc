// SPDX-License-Identifier: Apache-2.0
// Tests of the rings of a segment: where they lie, how they are reused, what happens when there is
// no room.
#include "inject/runtime/rings.h"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "inject/core/sys.h"
#include "inject/runtime/thread_logs.h"

namespace syncline {
namespace {

constexpr uint64_t kBytes = 8 << 20;
constexpr uint64_t kSmall = kMinRingBytes;

class RingsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    process_ = static_cast<ProcessState*>(MapWiped(sizeof(ProcessState)));
    ASSERT_NE(process_, nullptr);
  }
  void TearDown() override {
    SysUnmap(process_, sizeof(ProcessState));
    if (header_ != nullptr) SysUnmap(header_, mapped_);
    if (notes_ != nullptr) SysUnmap(notes_, sizeof(SegmentNotes));
    if (fd_ >= 0) close(fd_);
    if (!path_.empty()) unlink(path_.c_str());
  }

  // A segment in a memfd, or in the file `path_`, of which `mapped` bytes are mapped (0: all).
  void Make(uint64_t bytes, uint64_t mapped = 0, uint64_t ring_limit = 1 << 20) {
    if (path_.empty()) fd_ = static_cast<int>(SysCall(SYS_memfd_create, AsLong("rings_test"), 1));
    ASSERT_GE(fd_, 0);
    ASSERT_EQ(ftruncate(fd_, static_cast<off_t>(bytes)), 0);
    mapped_ = mapped == 0 ? bytes : mapped;
    SegmentMemory memory = {nullptr, mapped_, bytes, fd_, kFileMemory, ""};
    memory.memory = SysMap(mapped_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_);
    ASSERT_NE(memory.memory, nullptr);
    std::strncpy(memory.path, path_.c_str(), sizeof(memory.path) - 1);
    notes_ = InitSegment(memory, ring_limit);
    ASSERT_NE(notes_, nullptr);
    header_ = notes_->header;
    process_->session.notes.store(notes_);
  }
  int Take(uint64_t bytes) { return TakeRing(process_, bytes); }
  void Leave(int index) { LeaveRing(process_, static_cast<uint32_t>(index)); }
  RingControl* Control(int index) { return notes_->places[index].control; }
  // `bytes` of ring `index` are not drained.
  void Use(int index, uint64_t bytes) {
    Control(index)->head.store(Control(index)->tail.load() + bytes);
  }

  ProcessState* process_ = nullptr;
  SegmentNotes* notes_ = nullptr;
  SegmentHeader* header_ = nullptr;
  uint64_t mapped_ = 0;
  int fd_ = -1;
  std::string path_;
};

TEST_F(RingsTest, AnEmptySegmentSaysWhatItIs) {
  Make(kBytes, 0, 100000);
  EXPECT_EQ(std::memcmp(header_->magic, kSegmentMagic, sizeof(kSegmentMagic)), 0);
  EXPECT_EQ(header_->layout_version, kLayoutVersion);
  EXPECT_EQ(header_->header_bytes, sizeof(SegmentHeader));
  EXPECT_EQ(header_->segment_bytes, kBytes);
  EXPECT_EQ(header_->ring_limit, 65536u) << "the power of two below";
  EXPECT_EQ(RingLimit(process_), 65536u);
  EXPECT_EQ(header_->facts.pid, getpid());
  EXPECT_EQ(header_->degraded.load(), kFileMemory);
  EXPECT_EQ(header_->bytes_used.load(), sizeof(SegmentHeader));
  EXPECT_EQ(header_->ring_count.load(), 0u);
  EXPECT_GT(header_->start.monotonic_ns, 0u);
  EXPECT_EQ(NotesOf(process_), notes_);
}

TEST_F(RingsTest, TheSmallestRingIsTheLeastLimit) {
  Make(kBytes, 0, 1);
  EXPECT_EQ(header_->ring_limit, kMinRingBytes);
}

TEST_F(RingsTest, RingFollowsRingInWholePages) {
  Make(kBytes);
  uint64_t at = sizeof(SegmentHeader);
  int index = 0;
  for (const uint64_t bytes : {kSmall, kDeepRingBytes, kSmall, 4 * kSmall}) {
    ASSERT_EQ(Take(bytes), index);
    EXPECT_EQ(header_->rings[index].offset, at);
    EXPECT_EQ(header_->rings[index].data_bytes, bytes);
    EXPECT_EQ(header_->rings[index].state.load(), static_cast<uint32_t>(RingState::kOwned));
    EXPECT_EQ(reinterpret_cast<char*>(Control(index)), reinterpret_cast<char*>(header_) + at);
    EXPECT_EQ(LocateRing(notes_, static_cast<uint32_t>(index), bytes), Control(index));
    EXPECT_EQ(LocateRing(notes_, static_cast<uint32_t>(index), 2 * bytes), nullptr);
    const uint64_t stack = bytes < kDeepRingBytes ? kFewOpenRanges : kMaxOpenRanges;
    at += (sizeof(RingControl) + stack * sizeof(OpenRange) + bytes + 4095) / 4096 * 4096;
    EXPECT_EQ(header_->bytes_used.load(), at);
    EXPECT_EQ(header_->ring_count.load(), static_cast<uint32_t>(++index));
  }
  EXPECT_EQ(LocateRing(notes_, static_cast<uint32_t>(index), kSmall), nullptr);
}

TEST_F(RingsTest, AFullSegmentGivesNoneAndKeepsWhatItHas) {
  Make(sizeof(SegmentHeader) + 2 * RingFootprint(kSmall) + 4096);
  ASSERT_EQ(Take(kSmall), 0);
  const uint64_t used = header_->bytes_used.load();
  EXPECT_EQ(Take(kDeepRingBytes), -1);
  EXPECT_EQ(Take(1 << 30), -1) << "more than the whole segment";
  EXPECT_EQ(header_->bytes_used.load(), used);
  EXPECT_EQ(header_->ring_count.load(), 1u);
  EXPECT_EQ(Take(kSmall), 1) << "a smaller one still fits";
  EXPECT_EQ(Take(kSmall), -1);
  EXPECT_EQ(header_->bytes_used.load(), used + RingFootprint(kSmall));
  EXPECT_EQ(header_->ring_count.load(), 2u);
}

TEST_F(RingsTest, AtMostKMaxRings) {
  Make(sizeof(SegmentHeader) + (kMaxRings + 1) * RingFootprint(kSmall));
  for (uint32_t i = 0; i < kMaxRings; ++i) ASSERT_EQ(Take(kSmall), static_cast<int>(i));
  const uint64_t used = header_->bytes_used.load();
  EXPECT_EQ(Take(kSmall), -1);
  EXPECT_EQ(header_->bytes_used.load(), used);
  Leave(kMaxRings - 1);
  EXPECT_EQ(Take(kSmall), static_cast<int>(kMaxRings - 1));
}

TEST_F(RingsTest, AnIdleRingIsReusedIfLargeEnough) {
  Make(kBytes);
  ASSERT_EQ(Take(kSmall), 0);
  ASSERT_EQ(Take(4 * kSmall), 1);
  EXPECT_EQ(ReuseRing(process_, kSmall), -1) << "both have owners";
  const uint32_t left = process_->left.load();
  Leave(0);
  EXPECT_EQ(process_->left.load(), left + 1) << "refused threads ask again";
  EXPECT_EQ(ReuseRing(process_, 4 * kSmall), -1) << "too small";
  EXPECT_EQ(Take(kSmall), 0);
  EXPECT_EQ(header_->rings[0].state.load(), static_cast<uint32_t>(RingState::kOwned));
  EXPECT_EQ(ReuseRing(process_, kSmall), -1) << "taken once";
  Leave(1);
  EXPECT_EQ(Take(kSmall), 1) << "a larger one will do";
  EXPECT_EQ(header_->ring_count.load(), 2u);
}

TEST_F(RingsTest, AnIdleRingIsReusedIfHalfOfItIsFree) {
  Make(kBytes);
  ASSERT_EQ(Take(kSmall), 0);
  Use(0, kSmall / 2 + kSlotBytes);
  Leave(0);
  EXPECT_EQ(ReuseRing(process_, kSmall), -1);
  EXPECT_EQ(header_->rings[0].state.load(), static_cast<uint32_t>(RingState::kIdle));
  Use(0, kSmall / 2);
  EXPECT_EQ(ReuseRing(process_, kSmall), 0);
}

TEST_F(RingsTest, ARingThatContinuesAnotherIsReusedWhenDrained) {
  Make(kBytes);
  ASSERT_EQ(Take(kSmall), 0);
  header_->rings[0].previous.store(5);
  Use(0, kSlotBytes);
  Leave(0);
  EXPECT_EQ(ReuseRing(process_, kSmall), -1)
      << "the consumer would not learn any more what to drain before it";
  EXPECT_EQ(header_->rings[0].previous.load(), 5u);
  Use(0, 0);
  EXPECT_EQ(ReuseRing(process_, kSmall), 0);
  EXPECT_EQ(header_->rings[0].previous.load(), 0u);
}

TEST_F(RingsTest, MovingBringsOpenRangesAlong) {
  Make(kBytes);
  ASSERT_EQ(Take(kSmall), 0);
  ASSERT_EQ(Take(kDeepRingBytes), 1);
  ThreadLog log = {};
  log.tid = 77;
  log.stream = 9;
  MoveInto(process_, log, 0);
  EXPECT_EQ(log.depth_limit, kFewOpenRanges);
  for (uint32_t i = 0; i < kFewOpenRanges; ++i) {
    log.stack[i] = OpenRange{};
    log.stack[i].begin = 100 + i;
    log.stack[i].attributes.payload = i;
  }
  log.depth = kFewOpenRanges;
  Control(1)->calls[3].begin.store(1);
  Control(1)->head.store(kSlotBytes + 3);
  MoveInto(process_, log, 1);
  EXPECT_EQ(log.control, Control(1));
  EXPECT_EQ(log.segment, header_);
  EXPECT_EQ(log.ring, 1u);
  EXPECT_EQ(log.mask, kDeepRingBytes - 1);
  EXPECT_EQ(log.depth_limit, kMaxOpenRanges);
  EXPECT_EQ(log.data, reinterpret_cast<char*>(Control(1)) + DataOffset(kDeepRingBytes));
  EXPECT_EQ(log.head, kSlotBytes) << "a record begins at a slot";
  EXPECT_EQ(log.limit, 0u) << "the first record asks for room";
  EXPECT_EQ(Control(1)->depth.load(), kFewOpenRanges);
  EXPECT_EQ(Control(1)->tid.load(), 77u);
  EXPECT_EQ(Control(1)->stream.load(), 9u);
  EXPECT_EQ(Control(1)->calls[3].begin.load(), 0u);
  const auto* stack =
      reinterpret_cast<const OpenRange*>(reinterpret_cast<char*>(Control(1)) + kStackOffset);
  EXPECT_EQ(log.stack, stack);
  for (uint32_t i = 0; i < kFewOpenRanges; ++i) {
    EXPECT_EQ(stack[i].begin, 100 + i);
    EXPECT_EQ(stack[i].attributes.payload, i);
  }
}

// Each ring is written through this process's pieces and read where the consumer looks.
TEST_F(RingsTest, PiecesLieWhereTheFileSays) {
  Make(kBytes, sizeof(SegmentHeader) + (128 << 10));
  std::vector<int> rings;
  for (int i = 0; i < 40; ++i) {
    const uint64_t bytes = i % 10 == 9 ? 1 << 20 : i % 3 == 0 ? kDeepRingBytes : kSmall;
    const int index = Take(bytes);
    if (index < 0) continue;
    rings.push_back(index);
    Control(index)->tid.store(1000 + static_cast<uint32_t>(index));
    reinterpret_cast<char*>(Control(index))[DataOffset(bytes) + bytes - 1] =
        static_cast<char>(index);
  }
  EXPECT_GT(rings.size(), 20u);
  const auto* whole =
      static_cast<const char*>(mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, fd_, 0));
  ASSERT_NE(whole, MAP_FAILED);
  size_t beyond = 0;
  for (const int index : rings) {
    const RingEntry& entry = header_->rings[index];
    ASSERT_LE(entry.offset + RingFootprint(entry.data_bytes), kBytes);
    const char* there = whole + entry.offset;
    EXPECT_EQ(reinterpret_cast<const RingControl*>(there)->tid.load(),
              1000 + static_cast<uint32_t>(index));
    EXPECT_EQ(there[DataOffset(entry.data_bytes) + entry.data_bytes - 1], static_cast<char>(index));
    beyond += entry.offset >= mapped_;
  }
  EXPECT_GT(beyond, 10u) << "few rings were in later pieces";
  munmap(const_cast<char*>(whole), kBytes);
}

TEST_F(RingsTest, WhatOthersWriteIntoTheSegmentMovesNothing) {
  Make(kBytes);
  ASSERT_EQ(Take(kSmall), 0);
  RingControl* control = Control(0);
  header_->rings[0].offset = kBytes;
  header_->rings[0].data_bytes = uint64_t{1} << 40;
  header_->bytes_used.store(0);
  header_->ring_count.store(0);
  header_->segment_bytes = ~uint64_t{0};
  header_->ring_limit = ~uint64_t{0};
  control->head.store(~uint64_t{0});
  ThreadLog log = {};
  MoveInto(process_, log, 0);
  EXPECT_EQ(log.control, control);
  EXPECT_EQ(log.mask, kSmall - 1);
  EXPECT_EQ(log.data, reinterpret_cast<char*>(control) + DataOffset(kSmall));
  EXPECT_EQ(log.head % kSlotBytes, 0u);
  EXPECT_EQ(RingLimit(process_), 1u << 20);
  ASSERT_EQ(Take(kSmall), 1);
  EXPECT_EQ(reinterpret_cast<char*>(Control(1)),
            reinterpret_cast<char*>(control) + RingFootprint(kSmall));
  EXPECT_EQ(Take(kBytes), -1);
  Leave(0);
  EXPECT_EQ(ReuseRing(process_, kSmall), -1) << "its head makes no sense";
}

// The file cannot be reserved: here because it is not where it was.
TEST_F(RingsTest, ARingThatCannotBeReservedIsNotMade) {
  char name[] = "/tmp/syncline-rings-XXXXXX";
  fd_ = mkstemp(name);
  path_ = name;
  Make(kBytes);
  ASSERT_EQ(Take(kSmall), 0);
  const uint64_t used = header_->bytes_used.load();
  const uint64_t reserved = notes_->reserved_end;
  EXPECT_GE(reserved, used);
  const std::string elsewhere = path_ + ".away";
  ASSERT_EQ(rename(path_.c_str(), elsewhere.c_str()), 0);
  EXPECT_EQ(Take(1 << 20), -1);
  EXPECT_EQ(header_->bytes_used.load(), used);
  EXPECT_EQ(notes_->bytes_used.load(), used);
  EXPECT_EQ(notes_->reserved_end, reserved);
  EXPECT_EQ(header_->ring_count.load(), 1u);
  EXPECT_EQ(Take(kSmall), 1) << "what was reserved ahead is still there";
  ASSERT_EQ(rename(elsewhere.c_str(), path_.c_str()), 0);
  EXPECT_EQ(Take(1 << 20), 2);
}

TEST_F(RingsTest, ThreadsMakeRingsAtOnce) {
  constexpr size_t kThreads = 4;
  constexpr size_t kEach = 500;
  Make(sizeof(SegmentHeader) + kThreads * kEach * RingFootprint(kSmall),
       sizeof(SegmentHeader) + (128 << 10));
  std::vector<int> taken(kThreads * kEach, -1);
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([this, i, &taken, &go] {
      while (!go.load()) {
      }
      for (size_t k = 0; k < kEach; ++k) taken[i * kEach + k] = Take(kSmall);
    });
  }
  go.store(true);
  for (std::thread& thread : threads) thread.join();
  std::sort(taken.begin(), taken.end());
  for (size_t i = 0; i < taken.size(); ++i) {
    ASSERT_EQ(taken[i], static_cast<int>(i));
    EXPECT_EQ(header_->rings[i].offset, sizeof(SegmentHeader) + i * RingFootprint(kSmall));
  }
  EXPECT_EQ(notes_->making.load(), 0u);
}

// The test holds the lock as a thread that makes a ring does: 1 is taken, 2 is waited for.
TEST_F(RingsTest, WhoMakesARingIsWaitedFor) {
  Make(kBytes);
  int index = -1;
  do {  // again where the machine let the whole second of waiting pass
    notes_->making_hangs.store(false);
    notes_->making.store(1);
    std::atomic<bool> done{false};
    std::thread other([this, &index, &done] {
      index = Take(kSmall);
      done.store(true);
    });
    while (notes_->making.load() != 2 && !done.load()) sched_yield();
    const bool waits = !done.load() || notes_->making_hangs.load();
    const uint32_t rings = notes_->count.load();
    if (notes_->making.exchange(0) == 2)
      SysCall(SYS_futex, AsLong(&notes_->making), FUTEX_WAKE_PRIVATE, 1);
    other.join();
    ASSERT_TRUE(waits);
    ASSERT_EQ(rings, 0u) << "made while another thread makes one";
  } while (index < 0 && notes_->making_hangs.load());
  EXPECT_EQ(index, 0);
  EXPECT_EQ(notes_->making.load(), 0u);
}

// Others make rings all the while, as thousands of threads that begin at once do.
TEST_F(RingsTest, WhoWaitsAmongManyIsPatient) {
  Make(kBytes);
  int index = -1;
  // Again where the machine let a whole second pass in which nothing was made.
  for (int tries = 0; index < 0 && tries < 5; ++tries) {
    notes_->making_hangs.store(false);
    notes_->making.store(1);
    std::thread other([this, &index] { index = Take(kSmall); });
    for (int i = 0; i < 1300 && !notes_->making_hangs.load(); ++i) {
      notes_->count.fetch_add(1);
      SysSleepNs(1'000'000);
    }
    notes_->count.store(0);
    if (notes_->making.exchange(0) == 2)
      SysCall(SYS_futex, AsLong(&notes_->making), FUTEX_WAKE_PRIVATE, 1);
    other.join();
  }
  EXPECT_EQ(index, 0);
}

// Another thread makes a ring and was waited for in vain, for instance because it is stopped.
TEST_F(RingsTest, WhoHangsInMakingIsNotWaitedForAgain) {
  Make(kBytes);
  notes_->making.store(1);
  notes_->making_hangs.store(true);
  EXPECT_EQ(Take(kSmall), -1);
  EXPECT_EQ(notes_->making.load(), 1u) << "still the other's";
  notes_->making.store(0);
  EXPECT_EQ(Take(kSmall), 0);
  EXPECT_FALSE(notes_->making_hangs.load());
}

}  // namespace
}  // namespace syncline
