// SPDX-License-Identifier: Apache-2.0
// Tests of draining: order, budgets, recovery, and segments whose contents are hostile.
#include "inject/consumer/segment_drain.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "inject/core/clock.h"
#include "inject/core/crc32c.h"
#include "inject/core/gate.h"

namespace syncline {
namespace {

constexpr uint64_t kBytes = 4 << 20;

struct Block {
  BlockHead head;
  std::string payload;
};

constexpr uint64_t kRingBytes = kDeepRingBytes;

// A segment in anonymous memory, filled as the injected side would.
class SegmentDrainTest : public ::testing::Test {
 protected:
  void SetUp() override {
    memory_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    segment_ = new (memory_) SegmentHeader{};
    std::memcpy(segment_->magic, kSegmentMagic, sizeof(kSegmentMagic));
    segment_->layout_version = kLayoutVersion;
    segment_->header_bytes = sizeof(SegmentHeader);
    segment_->segment_bytes = kBytes;
    segment_->clock = static_cast<uint32_t>(ClockId::kMonotonic);
    used_ = sizeof(SegmentHeader);
    char name[] = "/tmp/syncline-drain-XXXXXX";
    folder_ = mkdtemp(name);
    path_ = folder_ + "/a.spool";
  }
  void TearDown() override {
    munmap(memory_, kBytes);
    std::filesystem::remove_all(folder_);
  }

  uint32_t AddRing(uint32_t previous = 0) {
    const uint32_t index = segment_->ring_count.fetch_add(1);
    RingEntry& entry = segment_->rings[index];
    entry.offset = used_;
    entry.data_bytes = kRingBytes;
    entry.previous = previous;
    entry.state = static_cast<uint32_t>(RingState::kOwned);
    used_ += RingFootprint(kRingBytes);
    return index;
  }
  RingControl* Control(uint32_t index) {
    return reinterpret_cast<RingControl*>(static_cast<char*>(memory_) +
                                          segment_->rings[index].offset);
  }
  void Put(uint32_t index, uint32_t name) {
    RingControl* control = Control(index);
    const uint64_t head = control->head.load();
    RangeRecord record = {};
    record.head = {static_cast<uint8_t>(RecordKind::kRange), 0, 1, name};
    std::memcpy(
        reinterpret_cast<char*>(control) + DataOffset(kRingBytes) + (head & (kRingBytes - 1)),
        &record, sizeof(record));
    control->head.store(head + sizeof(record));
  }
  bool Open() {
    drain_ = std::make_unique<SegmentDrain>();
    return spool_.Create(path_.c_str(), &budget_) &&
           drain_->Open(segment_, kBytes, &spool_, 42, ConsumerKind::kLauncher);
  }
  std::vector<Block> Blocks() {
    std::ifstream file(path_, std::ios::binary);
    std::vector<Block> blocks;
    Block block;
    while (file.read(reinterpret_cast<char*>(&block.head), sizeof(block.head))) {
      block.payload.resize((block.head.bytes + 7) / 8 * 8);
      file.read(block.payload.data(), static_cast<std::streamsize>(block.payload.size()));
      block.payload.resize(block.head.bytes);
      BlockHead head = block.head;
      head.checksum = 0;
      EXPECT_EQ(Crc32c(Crc32c(0, &head, sizeof(head)), block.payload.data(), block.payload.size()),
                block.head.checksum);
      EXPECT_EQ(block.head.sequence, blocks.size());
      blocks.push_back(block);
    }
    return blocks;
  }
  std::vector<Block> Blocks(BlockType type) {
    std::vector<Block> blocks = Blocks();
    std::erase_if(
        blocks, [&](const Block& block) { return block.head.type != static_cast<uint16_t>(type); });
    return blocks;
  }
  std::vector<uint32_t> Names() {
    std::vector<uint32_t> names;
    for (const Block& block : Blocks(BlockType::kRecords)) {
      for (size_t at = 0; at + sizeof(RecordHead) <= block.payload.size();) {
        RecordHead head;
        std::memcpy(&head, block.payload.data() + at, sizeof(head));
        if (head.slots == 0) break;
        names.push_back(head.id);
        at += head.slots * kSlotBytes;
      }
    }
    return names;
  }
  // What the budget is spent on: blocks of records, with their heads.
  uint64_t RecordBytes() {
    uint64_t bytes = 0;
    for (const Block& block : Blocks(BlockType::kRecords))
      bytes += sizeof(block.head) + block.payload.size();
    return bytes;
  }
  std::vector<SpoolGate> Gates() {
    std::vector<SpoolGate> gates;
    for (const Block& block : Blocks(BlockType::kGate)) {
      EXPECT_EQ(block.payload.size(), sizeof(SpoolGate));
      std::memcpy(&gates.emplace_back(), block.payload.data(), sizeof(SpoolGate));
    }
    return gates;
  }
  // A process that began just now, with its gate closed for these reasons.
  void BeginGated(uint8_t reasons) {
    segment_->start = TakeAnchor(ClockId::kMonotonic);
    segment_->facts.gate = uint32_t{kIsGated} | reasons;
    segment_->gate = reasons;
  }
  void DrainOnce() {
    uint32_t fullest = 0;
    drain_->Drain(&fullest);
  }
  uint64_t CountedLoss(Loss kind) {
    SpoolCounters counters = {};
    for (const Block& block : Blocks(BlockType::kCounters))
      std::memcpy(&counters, block.payload.data(), sizeof(counters));
    return counters.losses[kind];
  }

  void* memory_ = nullptr;
  SegmentHeader* segment_ = nullptr;
  uint64_t used_ = 0;
  std::string folder_;
  std::string path_;
  DiskBudget budget_{UINT64_MAX, UINT64_MAX, 0, {}};
  SpoolFile spool_;
  std::unique_ptr<SegmentDrain> drain_;
};

TEST_F(SegmentDrainTest, EverythingArrivesInOrderOverManyRoundsOfTheRing) {
  ASSERT_TRUE(Open());
  const uint32_t ring = AddRing();
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 10000; ++i) {
    Put(ring, i);
    expected.push_back(i);
    uint32_t fullest = 0;
    if (i % 777 == 0) drain_->Drain(&fullest);
  }
  drain_->Finish(true, true, 0);
  EXPECT_EQ(Names(), expected);
  EXPECT_EQ(Control(ring)->tail.load(), 10000u * sizeof(RangeRecord));
  EXPECT_EQ(Blocks().front().head.type, static_cast<uint16_t>(BlockType::kProcess));
  EXPECT_EQ(Blocks().back().head.type, static_cast<uint16_t>(BlockType::kEnd));
}

TEST_F(SegmentDrainTest, ARingThatContinuesAnotherComesAfterIt) {
  ASSERT_TRUE(Open());
  const uint32_t large = AddRing();
  const uint32_t small = AddRing();
  segment_->rings[large].previous = small + 1;  // lower index, but the later piece
  Put(small, 1);
  Put(large, 2);
  drain_->Finish(true, false, 0);
  EXPECT_EQ(Names(), (std::vector<uint32_t>{1, 2}));
}

// Where the disk is full there may be no room for an end block.
TEST_F(SegmentDrainTest, TheSecondBlockTellsThatAllWasDrained) {
  ASSERT_TRUE(Open());
  const auto state = [this] {
    SpoolCounters counters;
    const Block block = Blocks().at(1);
    EXPECT_EQ(block.head.type, static_cast<uint16_t>(BlockType::kCounters));
    std::memcpy(&counters, block.payload.data(), sizeof(counters));
    return counters.exit_state;
  };
  EXPECT_EQ(state(), 0u);
  drain_->Finish(true, false, 0);
  EXPECT_EQ(state(), 2u);
}

TEST_F(SegmentDrainTest, OpenRangesAreKept) {
  ASSERT_TRUE(Open());
  const uint32_t ring = AddRing();
  RingControl* control = Control(ring);
  auto* stack = reinterpret_cast<OpenRange*>(reinterpret_cast<char*>(control) + kStackOffset);
  stack[0].name = 5;
  stack[1].name = 6;
  control->depth = 2;
  control->stream = 9;
  drain_->Finish(true, false, 0);
  const std::vector<Block> told = Blocks(BlockType::kOpen);
  ASSERT_EQ(told.size(), 1u);
  SpoolOpen open;
  ASSERT_EQ(told[0].payload.size(), sizeof(open) + 2 * sizeof(OpenRange));
  std::memcpy(&open, told[0].payload.data(), sizeof(open));
  EXPECT_EQ(open.stream, 9u);
  OpenRange range;
  std::memcpy(&range, told[0].payload.data() + sizeof(open) + sizeof(range), sizeof(range));
  EXPECT_EQ(range.name, 6u);
}

// A process that drains itself ends in several hooks, and its destructors go on between them.
TEST_F(SegmentDrainTest, WhatIsOpenIsToldAtEachEnd) {
  ASSERT_TRUE(Open());
  RingControl* control = Control(AddRing());
  control->depth = 2;
  drain_->Finish(false, false, 0);
  control->depth = 1;
  drain_->Finish(false, false, 0);
  std::vector<size_t> told;
  for (const Block& block : Blocks(BlockType::kOpen))
    told.push_back((block.payload.size() - sizeof(SpoolOpen)) / sizeof(OpenRange));
  EXPECT_EQ(told, (std::vector<size_t>{2, 1}));
}

TEST_F(SegmentDrainTest, ACallThatDidNotReturnIsKept) {
  ASSERT_TRUE(Open());
  RingControl* control = Control(AddRing());
  control->stream = 9;
  control->tid = 77;
  control->calls[2].name = 5;
  control->calls[2].correlation = 31;
  control->calls[2].flags = kDriverCall;
  control->calls[2].begin = 4000;
  AddRing();  // in no call
  drain_->Finish(true, false, 0);
  int found = 0;
  for (const Block& block : Blocks(BlockType::kOpenCall)) {
    ++found;
    SpoolOpenCall open;
    ASSERT_EQ(block.payload.size(), sizeof(open));
    std::memcpy(&open, block.payload.data(), sizeof(open));
    EXPECT_EQ(open.stream, 9u);
    EXPECT_EQ(open.tid, 77u);
    EXPECT_EQ(open.call.begin, 4000u);
    EXPECT_EQ(open.call.end, 0u);
    EXPECT_EQ(open.call.correlation, 31u);
    EXPECT_EQ(open.call.head.id, 5u);
    EXPECT_EQ(open.call.head.flags, kDriverCall);
  }
  EXPECT_EQ(found, 1);
}

TEST_F(SegmentDrainTest, OverBudgetIsCountedRecordByRecord) {
  budget_.process_bytes = 64 << 10;
  ASSERT_TRUE(Open());
  const uint32_t ring = AddRing();
  uint32_t fullest = 0;
  for (uint32_t i = 0; i < 10000; ++i) {
    Put(ring, i);
    if (i % 500 == 499) drain_->Drain(&fullest);
  }
  drain_->Finish(true, false, 0);
  const uint64_t kept = Names().size();
  EXPECT_GT(kept, 0u);
  EXPECT_EQ(kept + CountedLoss(kLoss_disk_full), 10000u);
  EXPECT_LE(RecordBytes(), budget_.process_bytes);
}

TEST_F(SegmentDrainTest, RecoveryAddsNothingBehindAHole) {
  budget_.process_bytes = 64 << 10;
  ASSERT_TRUE(Open());
  const uint32_t ring = AddRing();
  uint32_t fullest = 0;
  for (uint32_t i = 0; i < 4000; ++i) {
    Put(ring, i);
    if (i % 500 == 499) drain_->Drain(&fullest);
  }
  for (uint32_t i = 4000; i < 4100; ++i) Put(ring, i);
  spool_.Close();
  const std::vector<uint32_t> kept = Names();
  ASSERT_LT(kept.size(), 4000u);

  DiskBudget unlimited{UINT64_MAX, UINT64_MAX, 0, {}};
  SpoolFile again;
  ASSERT_TRUE(
      again.Continue(open(path_.c_str(), O_RDWR), path_.c_str(), &unlimited, *segment_, false));
  auto recovery = std::make_unique<SegmentDrain>();
  ASSERT_TRUE(recovery->Resume(segment_, kBytes, &again));
  recovery->Finish(true, false, 0);
  again.Close();
  EXPECT_EQ(Names(), kept);
  EXPECT_EQ(kept.size() + CountedLoss(kLoss_disk_full), 4100u);
}

TEST_F(SegmentDrainTest, CallsAndDeviceOperationsThatFindNoDiskAreCountedToo) {
  budget_.process_bytes = 64 << 10;
  ASSERT_TRUE(Open());
  const uint32_t ring = AddRing();
  RingControl* control = Control(ring);
  const auto put = [&](RecordKind kind, uint16_t slots) {
    const uint64_t head = control->head.load();
    const RecordHead record = {static_cast<uint8_t>(kind), 0, slots, 1};
    std::memcpy(
        reinterpret_cast<char*>(control) + DataOffset(kRingBytes) + (head & (kRingBytes - 1)),
        &record, sizeof(record));
    control->head.store(head + uint64_t{slots} * kSlotBytes);
  };
  uint32_t fullest = 0;
  for (int i = 0; i < 2048; ++i) {
    put(RecordKind::kCall, 1);
    put(RecordKind::kName, 1);  // no event
    put(RecordKind::kDeviceOp, 2);
    if (i % 64 == 63) drain_->Drain(&fullest);
  }
  drain_->Finish(true, false, 0);
  const uint64_t kept = Names().size();
  ASSERT_EQ(kept % 3, 0u);
  EXPECT_GT(kept, 0u);
  EXPECT_EQ(kept / 3 * 2 + CountedLoss(kLoss_disk_full), 2 * 2048u);
}

TEST_F(SegmentDrainTest, AProcessThatIdlesCostsNoDisk) {
  ASSERT_TRUE(Open());
  const uint32_t ring = AddRing();
  uint32_t fullest = 0;
  const auto size = [this] { return std::filesystem::file_size(path_); };
  for (int round = 0; round < 3; ++round) {
    Put(ring, 1);
    drain_->Drain(&fullest);
    const auto before = size();
    drain_->Anchors(0);
    const auto anchored = size();
    EXPECT_GT(anchored, before) << "what was drained is placed in time";
    for (int i = 0; i < 100; ++i) drain_->Anchors(0);
    EXPECT_EQ(size(), anchored);
    segment_->losses[kLoss_ring_full].fetch_add(1);
    drain_->Anchors(0);
    EXPECT_GT(size(), anchored) << "losses are told also without an end";
  }
}

TEST_F(SegmentDrainTest, AForeignSegmentIsRefused) {
  segment_->magic[0] = 'X';
  EXPECT_FALSE(Open());
  EXPECT_STREQ(drain_->why(), "not a segment");
  segment_->magic[0] = kSegmentMagic[0];
  segment_->layout_version = kLayoutVersion + 1;
  spool_.Close();
  std::filesystem::remove(path_);
  EXPECT_FALSE(Open());
  EXPECT_STREQ(drain_->why(), "a segment of another version of Syncline");
}

TEST_F(SegmentDrainTest, RecoveryContinuesWhereTheConsumerDied) {
  ASSERT_TRUE(Open());
  const uint32_t ring = AddRing();
  uint32_t fullest = 0;
  for (uint32_t i = 0; i < 10; ++i) Put(ring, i);
  drain_->Drain(&fullest);
  for (uint32_t i = 10; i < 20; ++i) Put(ring, i);
  Control(ring)->tail =
      5 * sizeof(RangeRecord);  // died between writing the block and moving the tail
  spool_.Close();
  std::ofstream(path_, std::ios::binary | std::ios::app) << "torn";

  SpoolFile again;
  ASSERT_TRUE(
      again.Continue(open(path_.c_str(), O_RDWR), path_.c_str(), &budget_, *segment_, true));
  auto recovery = std::make_unique<SegmentDrain>();
  ASSERT_TRUE(recovery->Resume(segment_, kBytes, &again));
  recovery->Finish(true, false, 0);
  again.Close();
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 20; ++i) expected.push_back(i);
  EXPECT_EQ(Names(), expected);
}

TEST_F(SegmentDrainTest, HeadsAndTablesThatLieAreCountedNotFollowed) {
  ASSERT_TRUE(Open());
  const uint32_t ring = AddRing();
  Put(ring, 1);
  Control(ring)->head = uint64_t{1} << 60;
  const uint32_t outside = AddRing();
  segment_->rings[outside].offset = kBytes - 64;
  const uint32_t odd = AddRing();
  segment_->rings[odd].data_bytes = kRingBytes + 32;
  const uint32_t loop = AddRing(segment_->ring_count.load() + 1);
  Put(loop, 2);
  segment_->ring_count = 0xffffffff;
  drain_->Finish(true, false, 0);
  EXPECT_GE(CountedLoss(kLoss_damaged), 2u);
  EXPECT_EQ(Names(), std::vector<uint32_t>{2});
}

// What lies about its size is not written, however much of it there is.
TEST_F(SegmentDrainTest, RecordsWithoutASizeMakeNoBlock) {
  ASSERT_TRUE(Open());
  const uint32_t ring = AddRing();
  constexpr uint64_t kLarge = 2 << 20;
  segment_->rings[ring].data_bytes = kLarge;
  RingControl* control = Control(ring);
  char* data = reinterpret_cast<char*>(control) + DataOffset(kLarge);
  RangeRecord record = {};
  record.head = {static_cast<uint8_t>(RecordKind::kRange), 0, 1, 7};
  std::memcpy(data, &record, sizeof(record));
  control->head.store(kLarge);
  uint32_t fullest = 0;
  drain_->Drain(&fullest);
  EXPECT_EQ(control->tail.load(), kLarge);
  std::memcpy(data, &record, sizeof(record));
  control->head.store(kLarge + sizeof(record));
  drain_->Finish(true, false, 0);
  EXPECT_EQ(Names(), (std::vector<uint32_t>{7, 7})) << "before it, and after it";
  EXPECT_EQ(CountedLoss(kLoss_damaged), 1u);
  EXPECT_LT(std::filesystem::file_size(path_), 1u << 20);
}

constexpr uint64_t kHourNs = 3'600'000'000'000;

TEST_F(SegmentDrainTest, TheGateIsOpenedWhenItsTimeHasCome) {
  BeginGated(kTooEarly);
  segment_->open_after_ns = segment_->start.monotonic_ns;
  ASSERT_TRUE(Open());
  const uint64_t before = MonotonicNs();
  DrainOnce();
  const uint64_t after = MonotonicNs();
  DrainOnce();
  EXPECT_EQ(segment_->gate.load(), kOneChange);
  const std::vector<SpoolGate> gates = Gates();
  ASSERT_EQ(gates.size(), 1u) << "it is opened once";
  const GateRecord& change = gates[0].change;
  EXPECT_EQ(change.head.kind, static_cast<uint8_t>(RecordKind::kGate));
  EXPECT_EQ(change.head.flags, 0);
  EXPECT_EQ(change.head.slots, 1);
  EXPECT_EQ(change.head.id, 0u) << "of no thread";
  EXPECT_EQ(change.event, GateEvent::kOpened);
  EXPECT_EQ(change.change, 1u);
  EXPECT_LE(before, change.ticks);
  EXPECT_LE(change.ticks, after);
}

TEST_F(SegmentDrainTest, TheGateIsClosedWhenItsTimeIsOver) {
  BeginGated(0);
  segment_->close_after_ns = segment_->start.monotonic_ns;
  ASSERT_TRUE(Open());
  DrainOnce();
  DrainOnce();
  EXPECT_EQ(segment_->gate.load(), kOneChange | kTooLate);
  const std::vector<SpoolGate> gates = Gates();
  ASSERT_EQ(gates.size(), 1u);
  EXPECT_EQ(gates[0].change.event, GateEvent::kClosed);
  EXPECT_EQ(gates[0].change.head.flags, kTooLate);
  EXPECT_EQ(gates[0].change.change, 1u);
}

TEST_F(SegmentDrainTest, AConsumerThatComesLateOpensAndCloses) {
  BeginGated(kTooEarly);
  segment_->open_after_ns = segment_->start.monotonic_ns - 2;
  segment_->close_after_ns = segment_->start.monotonic_ns - 1;
  ASSERT_TRUE(Open());
  DrainOnce();
  EXPECT_EQ(segment_->gate.load(), 2 * kOneChange | kTooLate);
  const std::vector<SpoolGate> gates = Gates();
  ASSERT_EQ(gates.size(), 2u);
  EXPECT_EQ(gates[0].change.event, GateEvent::kOpened);
  EXPECT_EQ(gates[0].change.change, 1u);
  EXPECT_EQ(gates[1].change.event, GateEvent::kClosed);
  EXPECT_EQ(gates[1].change.change, 2u);
  EXPECT_LE(gates[0].change.ticks, gates[1].change.ticks);
}

TEST_F(SegmentDrainTest, BeforeItsTimeTheGateStaysAsItIs) {
  BeginGated(kTooEarly);
  segment_->open_after_ns = segment_->start.monotonic_ns + kHourNs;
  segment_->close_after_ns = segment_->start.monotonic_ns + 2 * kHourNs;
  ASSERT_TRUE(Open());
  DrainOnce();
  EXPECT_EQ(segment_->gate.load(), kTooEarly);
  EXPECT_TRUE(Gates().empty());
}

TEST_F(SegmentDrainTest, AGateThatIsClosedForMoreIsNotOpened) {
  BeginGated(kTooEarly | kNoStage);
  segment_->gate = GateWord{kTooEarly} | kNoStage | 7 * kOneExcluded | 5 * kOneChange;
  segment_->open_after_ns = segment_->start.monotonic_ns;
  ASSERT_TRUE(Open());
  DrainOnce();
  EXPECT_EQ(segment_->gate.load(), GateWord{kNoStage} | 7 * kOneExcluded | 5 * kOneChange);
  EXPECT_TRUE(Gates().empty());
}

// Its MONOTONIC began elsewhere; from its start on it is as long as here.
TEST_F(SegmentDrainTest, TimesOfAnotherTimeNamespaceCountFromTheStart) {
  for (const uint64_t delay : {uint64_t{0}, kHourNs}) {
    BeginGated(kTooEarly);
    segment_->start.monotonic_ns = 1000;
    segment_->open_after_ns = 1000 + delay;
    spool_.Close();
    std::filesystem::remove(path_);
    ASSERT_TRUE(Open());
    DrainOnce();
    EXPECT_EQ(IsOpen(segment_->gate), delay == 0);
  }
}

TEST_F(SegmentDrainTest, AProcessThatIsGoneNeedsNoOpenGate) {
  BeginGated(kTooEarly);
  segment_->open_after_ns = segment_->start.monotonic_ns;
  ASSERT_TRUE(Open());
  drain_->Finish(true, true, 0);
  EXPECT_EQ(segment_->gate.load(), kTooEarly);
  ASSERT_EQ(Gates().size(), 1u);
  EXPECT_EQ(Gates()[0].change.head.kind, 0) << "no change, only counts";
}

TEST_F(SegmentDrainTest, WhatTheGateKeptOutIsTheSumOfAllRings) {
  BeginGated(kNoStage);
  ASSERT_TRUE(Open());
  for (uint32_t i = 1; i <= 3; ++i) {
    RingControl* control = Control(AddRing());
    control->gated[kGatedRanges] = i;
    control->gated[kGatedCalls] = 10 * i;
    control->gated[kGatedDeviceOps] = 100 * i;
  }
  segment_->rings[AddRing()].offset = kBytes - 64;  // lies
  segment_->steps = 9;
  Put(0, 1);
  DrainOnce();
  drain_->Anchors(0);  // so that a spool without an end tells it, too
  Control(1)->gated[kGatedCalls] = 21;
  drain_->Finish(true, true, 0);
  const std::vector<SpoolGate> gates = Gates();
  ASSERT_EQ(gates.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(gates[i].change.head.kind, 0);
    EXPECT_EQ(gates[i].gated[kGatedRanges], 6u);
    EXPECT_EQ(gates[i].gated[kGatedCalls], 60u + i);
    EXPECT_EQ(gates[i].gated[kGatedDeviceOps], 600u);
    EXPECT_EQ(gates[i].steps, 9u);
  }
}

TEST_F(SegmentDrainTest, OfAProcessWithoutAGateNothingIsTold) {
  ASSERT_TRUE(Open());
  RingControl* control = Control(AddRing());
  control->gated[kGatedRanges] = 5;
  Put(0, 1);
  DrainOnce();
  drain_->Anchors(0);
  drain_->Finish(true, true, 0);
  EXPECT_TRUE(Gates().empty());
}

TEST_F(SegmentDrainTest, RandomBytesDoNoHarm) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    spool_.Close();
    std::filesystem::remove(path_);
    for (int i = 0; i < 8; ++i) AddRing();
    auto* words = reinterpret_cast<uint64_t*>(memory_);
    // Anything behind the fields that Open insists on, most often in the table of rings.
    for (int i = 0; i < 200; ++i) {
      const size_t low =
          random() % 2 == 0 ? offsetof(SegmentHeader, rings) : offsetof(SegmentHeader, clock);
      const size_t span =
          random() % 2 == 0 ? 16 * sizeof(RingEntry) : kBytes - offsetof(SegmentHeader, rings);
      const size_t at = (low + random() % span) / 8;
      words[at] = random() % 3 == 0 ? random() : random() % (2 * kBytes);
    }
    if (Open()) {
      uint32_t fullest = 0;
      drain_->Drain(&fullest);
      drain_->Finish(true, false, 0);
      EXPECT_FALSE(Blocks().empty());
    }
    std::memset(static_cast<char*>(memory_) + offsetof(SegmentHeader, rings), 0,
                kBytes - offsetof(SegmentHeader, rings));
    segment_->clock = static_cast<uint32_t>(ClockId::kMonotonic);
    segment_->ring_count = 0;
    used_ = sizeof(SegmentHeader);
  }
}

}  // namespace
}  // namespace syncline
