// SPDX-License-Identifier: Apache-2.0
// Tests of making room: the doorbell, growing, and a consumer that is gone.
#include <gtest/gtest.h>

#include <algorithm>
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
  Recorded([](Recording& recording) {
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
  Recorded([](Recording& recording) {
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
  Recorded([](Recording& recording) {
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

// Until something else is recorded the consumer does not see it.
void PutAndHold() {
  HookScope scope;
  ASSERT_TRUE(scope);
  char* room = Reserve(scope.log(), 2 * kSlotBytes);
  ASSERT_NE(room, nullptr);
  *reinterpret_cast<RecordHead*>(room) = {static_cast<uint8_t>(RecordKind::kMark), 0, 2, 0};
  Hold(scope.log());
}

TEST(MakeRoom, WhatIsHeldIsSeenWhenItsThreadGoesOnOrEnds) {
  InOwnProcess([] {
    Recording recording({RingOption(16 * kMinRingBytes)});
    ASSERT_TRUE(Put());
    FillTo(kMinRingBytes - 4 * kSlotBytes);
    const uint32_t ring = Log().ring;
    const size_t before = recording.Records(ring).size();
    PutAndHold();
    EXPECT_EQ(recording.Records(ring).size(), before);
    EXPECT_NE(Held(Log()), nullptr);
    ASSERT_TRUE(Put(8));  // in a larger ring
    EXPECT_NE(Log().ring, ring);
    EXPECT_EQ(recording.Records(ring).size(), before + 1);
    EXPECT_EQ(Held(Log()), nullptr);
    // For a process that ends: once, and the thread that goes on holds nothing.
    const uint64_t start = Log().head;
    PutAndHold();
    PublishHeldOf(Log().control);
    PublishHeldOf(Log().control);
    EXPECT_EQ(Log().control->head.load(), start + kHeldBytes);
    EXPECT_EQ(Log().head, start + kHeldBytes);
    EXPECT_EQ(Held(Log()), nullptr);
    ASSERT_TRUE(Put());
    PublishHeldOf(Log().control);
    EXPECT_EQ(Log().control->head.load(), Log().head) << "of no meaning any more";
    uint32_t others = 0;
    std::thread([&] {
      ASSERT_TRUE(Put());
      others = Log().ring;
      PutAndHold();
    }).join();
    const auto marks = recording.Records(others);
    EXPECT_EQ(std::count_if(marks.begin(), marks.end(),
                            [](const RecordHead* head) {
                              return head->kind == static_cast<uint8_t>(RecordKind::kMark);
                            }),
              2);
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

// --- a consumer that is gone ---

TEST(MakeRoom, AConsumerThatStandsDoesNotKeepARingFromGrowing) {
  InOwnProcess([] {
    Recording recording({RingOption(16 * kMinRingBytes)});
    Doorbell bell = {};
    ASSERT_TRUE(Put());
    recording.SetDoorbell(&bell);
    FillTo(kMinRingBytes);
    Log().sign_seen_ns = 1;  // the bell has given no sign for long, but somebody listens
    ASSERT_TRUE(Put());
    EXPECT_EQ(Log().mask + 1, 4 * kMinRingBytes);
    EXPECT_TRUE(recording.process()->session.handed_over.load());
    recording.SetDoorbell(nullptr);
  });
}

TEST(MakeRoom, AConsumerThatHasEndedIsFollowedByTheProcess) {
  InOwnProcess([] {
    Recording recording({RingOption(kMinRingBytes)});
    Doorbell bell = {};
    ASSERT_TRUE(Push("open"));
    recording.SetDoorbell(&bell);
    bell.closing.store(1);
    recording.launcher.End();
    const Session& session = recording.process()->session;
    while (session.handed_over.load()) ASSERT_TRUE(Put());
    EXPECT_EQ(Log().head / kSlotBytes, kMinRingBytes / 2 / kSlotBytes + 1)
        << "half full is soon enough";
    EXPECT_NE(session.doorbell.load(), &bell);
    EXPECT_EQ(recording.folder.Files(".spool").size(), 1u);
    Pop();
    EXPECT_EQ(Log().depth, 0u);
    for (uint32_t loss = 0; loss < kLossKinds; ++loss)
      EXPECT_EQ(recording.Lost(static_cast<Loss>(loss)), 0u) << loss;
  });
}

}  // namespace
}  // namespace syncline
