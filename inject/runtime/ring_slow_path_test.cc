// SPDX-License-Identifier: Apache-2.0
// Tests of making room: the doorbell, growing, and a consumer that is gone.
#include "inject/runtime/ring_slow_path.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "inject/runtime/rings.h"
#include "inject/runtime/session.h"
#include "inject/runtime/test_support.h"

namespace syncline {
namespace {

ThreadLog& Log() { return *t_log; }

// Writes a mark of `slots`. False: no room.
bool Put(uint64_t slots = 1) {
  HookScope scope;
  if (!scope) return false;
  char* room = Reserve(scope.log(), slots * kSlotBytes);
  if (room == nullptr) return false;
  auto* head = reinterpret_cast<RecordHead*>(room);
  *head = {static_cast<uint8_t>(RecordKind::kMark), 0, static_cast<uint16_t>(slots), 0};
  Publish(scope.log(), slots * kSlotBytes);
  return true;
}

uint64_t Used() { return Log().control->head.load() - Log().control->tail.load(); }

// Writes until `bytes` of the ring are in use.
void FillTo(uint64_t bytes) {
  while (Used() < bytes) ASSERT_TRUE(Put());
}

std::string RingOption(uint64_t bytes) { return "SYNCLINE_MEMORY_RING=" + std::to_string(bytes); }

// A segment in which exactly one smallest ring has room.
std::string OneRing() {
  return "SYNCLINE_MEMORY_PROCESS=" +
         std::to_string(sizeof(SegmentHeader) + RingFootprint(kMinRingBytes));
}

TEST(MakeRoom, HalfFullWakesTheConsumer) {
  InOwnProcess([] {
    Recording recording;
    Doorbell bell = {};
    bell.sleeping.store(1);
    ASSERT_TRUE(Put());
    recording.SetDoorbell(&bell);
    FillTo(kMinRingBytes / 2);
    EXPECT_EQ(bell.futex.load(), 0u);
    EXPECT_EQ(bell.sleeping.load(), 1u);
    ASSERT_TRUE(Put());
    EXPECT_EQ(bell.futex.load(), 1u);
    EXPECT_EQ(bell.sleeping.load(), 0u) << "it is woken once";
    EXPECT_EQ(Log().mask + 1, kMinRingBytes) << "half full is no reason to grow";
    recording.SetDoorbell(nullptr);
  });
}

TEST(MakeRoom, AFullRingIsReplacedByOneFourTimesAsLargeUpToTheLimit) {
  InOwnProcess([] {
    Recording recording({RingOption(16 * kMinRingBytes)});
    std::vector<uint64_t> sizes;
    ASSERT_TRUE(Put());
    const uint64_t stream = Log().stream;
    while (Put()) {
      if (sizes.empty() || sizes.back() != Log().mask + 1) sizes.push_back(Log().mask + 1);
    }
    EXPECT_EQ(sizes, (std::vector<uint64_t>{kMinRingBytes, 4 * kMinRingBytes, 16 * kMinRingBytes}));
    EXPECT_EQ(Used(), 16 * kMinRingBytes) << "full to the last slot";
    const RingEntry* rings = recording.header()->rings;
    EXPECT_EQ(rings[1].previous.load(), 1u);
    EXPECT_EQ(rings[2].previous.load(), 2u);
    EXPECT_EQ(rings[0].state.load(), static_cast<uint32_t>(RingState::kIdle));
    EXPECT_EQ(rings[2].state.load(), static_cast<uint32_t>(RingState::kOwned));
    const auto* record = reinterpret_cast<const StreamRecord*>(recording.Records(2)[0]);
    EXPECT_EQ(record->head.kind, static_cast<uint8_t>(RecordKind::kStream));
    EXPECT_EQ(record->stream, stream);
    EXPECT_EQ(record->part, 2u);
    EXPECT_EQ(recording.header()->degraded.load() & kRingsStoppedGrowing, 0u)
        << "the limit is the user's";
  });
}

TEST(MakeRoom, WhatAFullRingCannotTakeIsCounted) {
  InOwnProcess([] {
    Recording recording({RingOption(kMinRingBytes)});
    ASSERT_TRUE(Push("a"));
    ASSERT_TRUE(Push("b"));
    while (Put()) {
    }
    const uint64_t head = Log().control->head.load();
    Pop();
    EXPECT_EQ(recording.Lost(kLoss_ring_full), 1u);
    EXPECT_EQ(Log().depth, 1u) << "the range has ended all the same";
    EXPECT_EQ(Log().control->head.load(), head);
    EXPECT_TRUE(Push("a name that is new"));
    EXPECT_EQ(recording.Lost(kLoss_definition), 1u);
    recording.Drain();
    Pop();
    Pop();
    EXPECT_EQ(recording.Lost(kLoss_ring_full), 1u);
    EXPECT_EQ(Log().depth, 0u);
  });
}

TEST(MakeRoom, OverTheNodesBudgetNoRingGrows) {
  InOwnProcess([] {
    Recording recording;
    Doorbell bell = {};
    bell.over_budget.store(1);
    ASSERT_TRUE(Put());
    recording.SetDoorbell(&bell);
    while (Put()) {
    }
    EXPECT_EQ(Log().mask + 1, kMinRingBytes);
    bell.over_budget.store(0);
    EXPECT_TRUE(Put());
    EXPECT_EQ(Log().mask + 1, 4 * kMinRingBytes);
    recording.SetDoorbell(nullptr);
  });
}

TEST(MakeRoom, AFullSegmentIsToldAndNotAskedAgainAtOnce) {
  InOwnProcess([] {
    Recording recording({OneRing()});
    while (Put()) {
    }
    EXPECT_EQ(Log().mask + 1, kMinRingBytes);
    EXPECT_NE(recording.header()->degraded.load() & kRingsStoppedGrowing, 0u);
    EXPECT_NE(Log().replace_at_ns, 0u);
    recording.Drain();
    EXPECT_TRUE(Put());
  });
}

TEST(MakeRoom, DeepNestingMovesIntoARingWithRoomForIt) {
  InOwnProcess([] {
    Recording recording;
    for (uint32_t i = 0; i < kFewOpenRanges; ++i) ASSERT_TRUE(Push("few"));
    EXPECT_EQ(Log().depth_limit, kFewOpenRanges);
    const uint32_t old = Log().ring;
    std::vector<OpenRange> before(Log().stack, Log().stack + kFewOpenRanges);
    recording.Control(old)->calls[2].name.store(3);
    recording.Control(old)->calls[2].begin.store(5);
    ASSERT_TRUE(Push("one more"));
    EXPECT_NE(Log().ring, old);
    EXPECT_EQ(Log().depth_limit, kMaxOpenRanges);
    EXPECT_EQ(Log().mask + 1, kDeepRingBytes);
    EXPECT_EQ(std::memcmp(before.data(), Log().stack, kFewOpenRanges * sizeof(OpenRange)), 0);
    EXPECT_EQ(Log().control->depth.load(), kFewOpenRanges + 1);
    EXPECT_EQ(Log().control->calls[2].begin.load(), 5u);
    EXPECT_EQ(Log().control->calls[2].name.load(), 3u);
    EXPECT_EQ(recording.Control(old)->depth.load(), 0u) << "a crash would show them twice";
    EXPECT_EQ(recording.Control(old)->calls[2].begin.load(), 0u);
    EXPECT_EQ(recording.header()->rings[Log().ring].previous.load(), old + 1);
    while (Log().depth < kMaxOpenRanges) ASSERT_TRUE(Push("deep"));
    EXPECT_FALSE(Push("too deep"));
    EXPECT_EQ(recording.Lost(kLoss_too_deep), 1u);
    EXPECT_EQ(Log().over_depth, 1u);
    Pop();
    EXPECT_EQ(Log().over_depth, 0u);
    EXPECT_EQ(Log().depth, kMaxOpenRanges) << "the pop was of the range that was lost";
  });
}

TEST(MakeRoom, WithoutALargerRingDeepRangesAreCounted) {
  InOwnProcess([] {
    Recording recording({OneRing()});
    for (uint32_t i = 0; i < kFewOpenRanges; ++i) ASSERT_TRUE(Push("few"));
    EXPECT_FALSE(Push("one more"));
    EXPECT_EQ(recording.Lost(kLoss_ring_full), 1u);
    EXPECT_EQ(recording.Lost(kLoss_too_deep), 0u);
    Pop();
    EXPECT_EQ(Log().depth, kFewOpenRanges);
  });
}

TEST(MakeRoom, ARecordDoesNotWrap) {
  InOwnProcess([] {
    Recording recording({RingOption(kMinRingBytes)});
    ASSERT_TRUE(Put());
    while ((Log().head & Log().mask) != kMinRingBytes - kSlotBytes) {
      recording.Drain();
      ASSERT_TRUE(Put());
    }
    recording.Drain();
    ASSERT_TRUE(Put(2));
    const std::vector<const RecordHead*> records = recording.Records(Log().ring);
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[0]->kind, static_cast<uint8_t>(RecordKind::kPad));
    EXPECT_EQ(records[0]->slots, 1u);
    EXPECT_EQ(records[1]->slots, 2u);
    EXPECT_EQ(reinterpret_cast<const char*>(records[1]), Log().data);
  });
}

// The padding needs room as well: the last slot is free, and the first ones are not drained.
TEST(MakeRoom, PaddingDoesNotOverwriteWhatIsNotDrained) {
  InOwnProcess([] {
    Recording recording({RingOption(kMinRingBytes)});
    ASSERT_TRUE(Put());
    while ((Log().head & Log().mask) != kMinRingBytes - kSlotBytes) {
      recording.Drain();
      ASSERT_TRUE(Put());
    }
    // Two slots are free, of which the padding takes one.
    Log().control->tail.store(Log().head - (kMinRingBytes - 2 * kSlotBytes));
    Log().limit = 0;
    EXPECT_FALSE(Put(2));
    Log().control->tail.store(Log().head - (kMinRingBytes - 3 * kSlotBytes));
    EXPECT_TRUE(Put(2));
    EXPECT_EQ(Used(), kMinRingBytes);
  });
}

TEST(MakeRoom, ARecordLargerThanTheRing) {
  InOwnProcess([] {
    Recording recording({RingOption(kDeepRingBytes)});
    ASSERT_TRUE(Put());
    ASSERT_TRUE(Put(kMinRingBytes / kSlotBytes + 1)) << "the ring grows";
    EXPECT_EQ(Log().mask + 1, 4 * kMinRingBytes);
    EXPECT_FALSE(Put(kDeepRingBytes / kSlotBytes + 1)) << "larger than any";
    EXPECT_EQ(Log().head, Log().control->head.load());
    recording.Drain();
    EXPECT_TRUE(Put());
  });
}

// The other program that has this memory writes into it by mistake.
TEST(MakeRoom, HostileHeadAndTailMoveNoRecordOutOfTheRing) {
  InOwnProcess([] {
    Recording recording({RingOption(kMinRingBytes)});
    ASSERT_TRUE(Put());
    const uint64_t head = Log().head;
    for (const uint64_t tail : {head + 1, head + kSlotBytes, ~uint64_t{0}, head / 2 + 7}) {
      Log().control->tail.store(tail);
      for (int i = 0; i < 600; ++i) {
        HookScope scope;
        ASSERT_TRUE(scope);
        const char* room = Reserve(scope.log(), 3 * kSlotBytes);
        if (room == nullptr) continue;
        ASSERT_GE(room, Log().data);
        ASSERT_LE(room + 3 * kSlotBytes, Log().data + kMinRingBytes);
        Publish(scope.log(), 0);
        scope.log().head += 3 * kSlotBytes;
      }
    }
  });
}

// --- a consumer that is gone; the process then drains itself, in a thread ---

TEST(MakeRoom, AConsumerThatClosesIsFollowedByOneOfTheProcess) {
  InOwnProcess([] {
    Recording recording({RingOption(kMinRingBytes)});
    Doorbell bell = {};
    ASSERT_TRUE(Push("open"));
    recording.SetDoorbell(&bell);
    recording.Drain();
    bell.closing.store(1);
    const SegmentHeader* old = recording.header();
    uint64_t put = 0;
    while (recording.header() == old) {
      ASSERT_TRUE(Put());
      ++put;
    }
    EXPECT_GE(put * kSlotBytes, kMinRingBytes / 2 - kSlotBytes) << "half full is soon enough";
    EXPECT_EQ(recording.process()->session.generation.load(), 2u);
    EXPECT_FALSE(recording.process()->session.handed_over.load());
    EXPECT_NE(recording.process()->session.doorbell.load(), &bell);
    EXPECT_EQ(recording.folder.Files(".spool").size(), 1u);
    while (Log().segment == old) {
      ASSERT_TRUE(Put());
      ++put;
    }
    EXPECT_EQ(recording.Lost(kLoss_consumer_gone), put - 1) << "all but the one in the new segment";
    EXPECT_EQ(Log().depth, 1u);
    EXPECT_EQ(Log().stack[0].flags, kNameLost) << "its name was defined in the old segment";
    Pop();
    EXPECT_EQ(recording.Lost(kLoss_ring_full), 1u);
  });
}

TEST(MakeRoom, AFullRingOfAClosingConsumerIsLeft) {
  InOwnProcess([] {
    Recording recording({RingOption(kMinRingBytes)});
    Doorbell bell = {};
    while (Put()) {
    }
    bell.closing.store(1);
    recording.SetDoorbell(&bell);
    EXPECT_TRUE(Put());
    EXPECT_EQ(Log().segment, recording.header());
    EXPECT_EQ(recording.process()->session.generation.load(), 2u);
  });
}

TEST(MakeRoom, MoreThanSixteenOpenRangesComeAlong) {
  InOwnProcess([] {
    Recording recording;
    for (uint32_t i = 0; i < 40; ++i) ASSERT_TRUE(Push("deep"));
    TakeOver(recording.process());
    while (Put() && Log().segment != recording.header()) {
    }
    EXPECT_EQ(Log().segment, recording.header());
    EXPECT_EQ(Log().depth, 40u);
    EXPECT_EQ(Log().depth_limit, kMaxOpenRanges);
    for (uint32_t i = 0; i < 40; ++i) EXPECT_EQ(Log().stack[i].flags, kNameLost);
  });
}

// The new segment's file cannot be reserved (a full file system; here it is elsewhere).
TEST(MakeRoom, WithoutARingInTheNewSegmentNothingGoesIntoTheOldOne) {
  InOwnProcess([] {
    Recording recording;
    ASSERT_TRUE(Push("open"));
    ASSERT_TRUE(Put());
    SegmentHeader* old = recording.header();
    recording.Drain();
    ASSERT_TRUE(Put());
    const RingControl* control = Log().control;
    const uint64_t head = control->head.load();
    TakeOver(recording.process());
    ASSERT_NE(recording.header(), old);
    const std::vector<std::string> links = recording.folder.Files(".segment");
    ASSERT_EQ(links.size(), 1u);
    const std::string file = std::filesystem::read_symlink(links[0]);
    std::filesystem::rename(file, file + ".away");
    Log().limit = 0;  // the next record asks for room
    for (int i = 0; i < 1000; ++i) EXPECT_FALSE(Put());
    EXPECT_EQ(control->head.load(), head) << "nobody drains it any more";
    EXPECT_EQ(old->ring_count.load(), 1u);
    EXPECT_EQ(recording.Lost(kLoss_consumer_gone), 1u) << "counted once";
    std::filesystem::rename(file + ".away", file);
    while (!Put()) {
    }
    EXPECT_EQ(Log().segment, recording.header());
    EXPECT_EQ(Log().depth, 1u);
    EXPECT_EQ(Log().stack[0].flags, kNameLost);
  });
}

TEST(MakeRoom, WhatIsAbandonedAtExitIsCounted) {
  InOwnProcess([] {
    Recording recording;
    Doorbell bell = {};
    ASSERT_TRUE(Put());
    ASSERT_TRUE(Put());
    recording.SetDoorbell(&bell);
    CountAbandoned(recording.process());
    EXPECT_EQ(recording.process()->session.generation.load(), 1u) << "the launcher still drains";
    bell.closing.store(1);
    CountAbandoned(recording.process());
    EXPECT_EQ(recording.process()->session.generation.load(), 2u);
    EXPECT_EQ(recording.Lost(kLoss_consumer_gone), 2u);
  });
}

// This thread has recorded nothing since the process took over.
TEST(MakeRoom, WhatIsInAnOldSegmentAtExitIsCounted) {
  InOwnProcess([] {
    Recording recording;
    ASSERT_TRUE(Put());
    ASSERT_TRUE(Put());
    TakeOver(recording.process());
    CountAbandoned(recording.process());
    EXPECT_EQ(recording.process()->session.generation.load(), 2u);
    EXPECT_EQ(recording.Lost(kLoss_consumer_gone), 2u);
  });
}

// In the small ring from before the last one, and in that of a thread that ended.
TEST(MakeRoom, WhatIsInRingsThatWereLeftIsCounted) {
  InOwnProcess([] {
    Recording recording;
    ASSERT_TRUE(Put());
    std::thread([] {
      ASSERT_TRUE(Put());
      ASSERT_TRUE(Put());
    }).join();
    ASSERT_TRUE(MakeDepth(Log()));
    ASSERT_TRUE(Put());
    TakeOver(recording.process());
    EXPECT_EQ(recording.Lost(kLoss_consumer_gone), 3u);
    CountAbandoned(recording.process());
    EXPECT_EQ(recording.Lost(kLoss_consumer_gone), 4u);
  });
}

TEST(MakeRoom, NothingAbandonedMakesNoSegment) {
  InOwnProcess([] {
    Recording recording;
    Doorbell bell = {};
    ASSERT_TRUE(Put());
    bell.closing.store(1);
    recording.SetDoorbell(&bell);
    recording.Drain();
    CountAbandoned(recording.process());
    EXPECT_EQ(recording.process()->session.generation.load(), 1u);
    recording.SetDoorbell(nullptr);
  });
}

}  // namespace
}  // namespace syncline
