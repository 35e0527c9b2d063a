// SPDX-License-Identifier: Apache-2.0
// Tests of threads that enter a segment, that are refused, and that end.
#include "inject/runtime/thread_entry.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "inject/core/clock.h"
#include "inject/runtime/rings.h"
#include "inject/runtime/session.h"
#include "inject/runtime/test_support.h"

namespace syncline {
namespace {

std::string OneRing() {
  return "SYNCLINE_MEMORY_PROCESS=" +
         std::to_string(sizeof(SegmentHeader) + RingFootprint(kMinRingBytes));
}

void OnAThread(const std::function<void()>& body) { std::thread(body).join(); }

TEST(ThreadEntry, AStreamBeginsWithTheThreadAndItsName) {
  Recorded([](Recording& recording) {
    errno = 77;
    ASSERT_TRUE(Push("first"));
    EXPECT_EQ(errno, 77);
    EXPECT_EQ(t_log->stream, 1u);
    EXPECT_EQ(recording.Control(0)->tid.load(), t_log->tid);
    const std::vector<const RecordHead*> records = recording.Records(0);
    ASSERT_GE(records.size(), 2u);
    const auto* stream = reinterpret_cast<const StreamRecord*>(records[0]);
    EXPECT_EQ(stream->head.kind, static_cast<uint8_t>(RecordKind::kStream));
    EXPECT_EQ(stream->stream, 1u);
    EXPECT_EQ(stream->head.id, t_log->tid);
    EXPECT_EQ(stream->is_main_thread, 1u);
    EXPECT_EQ(records[1]->kind, static_cast<uint8_t>(RecordKind::kThreadName));
    OnAThread([] { ASSERT_TRUE(Push("first")); });
    const auto* second = reinterpret_cast<const StreamRecord*>(recording.Records(1)[0]);
    EXPECT_EQ(second->stream, 2u);
    EXPECT_EQ(second->is_main_thread, 0u);
  });
}

TEST(ThreadEntry, AThreadThatEndsLeavesItsRing) {
  Recorded([](Recording& recording) {
    ASSERT_TRUE(Push("of the main thread"));
    uint32_t ring = 0;
    OnAThread([&ring] {
      ASSERT_TRUE(Push("done"));
      Pop();
      ASSERT_TRUE(Push("open"));
      ring = t_log->ring;
    });
    ASSERT_NE(ring, t_log->ring);
    EXPECT_EQ(recording.header()->rings[ring].state.load(),
              static_cast<uint32_t>(RingState::kIdle));
    const std::vector<const RecordHead*> records = recording.Records(ring);
    EXPECT_EQ(records.back()->kind, static_cast<uint8_t>(RecordKind::kStreamEnd));
    std::vector<int> flags;
    for (const RecordHead* record : records) {
      if (record->kind == static_cast<uint8_t>(RecordKind::kRange)) flags.push_back(record->flags);
    }
    EXPECT_EQ(flags, (std::vector<int>{0, kClosedByUs}));
    OnAThread([ring] {
      ASSERT_TRUE(Push("next"));
      EXPECT_EQ(t_log->ring, ring) << "its ring is used again";
      EXPECT_EQ(t_log->index, 1u) << "and its log";
      EXPECT_EQ(t_log->depth, 1u);
    });
    EXPECT_EQ(recording.header()->ring_count.load(), 2u);
  });
}

TEST(ThreadEntry, WithoutARingWhatIsBegunIsLostAndWhatEndsItIsNone) {
  InOwnProcess([] {
    Recording recording({OneRing()});
    ASSERT_TRUE(Push("has the ring"));
    OnAThread([&recording] {
      for (int i = 0; i < 3; ++i) EXPECT_FALSE(Push("lost"));
      EXPECT_EQ(t_log, nullptr);
      EXPECT_EQ(recording.Lost(kLoss_no_ring), 3u);
      for (int i = 0; i < 3; ++i) Pop();
      EXPECT_EQ(recording.Lost(kLoss_no_ring), 3u);
      EXPECT_EQ(recording.Lost(kLoss_unbalanced_pop), 0u);
    });
    EXPECT_NE(recording.header()->degraded.load() & kThreadsWithoutRing, 0u);
    EXPECT_EQ(recording.process()->free_logs.load(), 1u) << "its log is for others";
  });
}

TEST(ThreadEntry, APopOfALostPushIsNoMisuseLater) {
  InOwnProcess([] {
    Recording recording({OneRing()});
    ASSERT_TRUE(Push("has the ring"));
    OnAThread([&recording, main = t_log] {
      EXPECT_FALSE(Push("lost"));
      EndThread(*main);
      recording.process()->retry_ns.store(0);  // as if the pace had passed
      ASSERT_TRUE(Push("recorded"));
      Pop();
      Pop();
      EXPECT_EQ(recording.Lost(kLoss_unbalanced_pop), 0u);
      Pop();
      EXPECT_EQ(recording.Lost(kLoss_unbalanced_pop), 1u);
    });
  });
}

// Whether a push of this thread, which was refused, asks for a ring `ns` after the last one did.
// Tries again where the machine lets more than the pace pass meanwhile.
bool AsksAgain(ProcessState* process, uint64_t ns, uint64_t pace) {
  for (;;) {
    const uint64_t last = MonotonicNs() - ns;
    process->retry_ns.store(last);
    EXPECT_FALSE(Push("lost"));
    const bool asked = process->retry_ns.load() != last;
    if (ns >= pace || MonotonicNs() - last < pace) return asked;
  }
}

TEST(ThreadEntry, ARefusedThreadAsksAtAPace) {
  InOwnProcess([] {
    constexpr uint64_t kPace = 10000000;          // nothing was left
    constexpr uint64_t kPaceAfterLeave = 250000;  // something was
    Recording recording({OneRing()});
    ASSERT_TRUE(Push("has the ring"));
    OnAThread([process = recording.process()] {
      EXPECT_FALSE(Push("lost"));
      EXPECT_FALSE(AsksAgain(process, 0, kPaceAfterLeave));
      EXPECT_FALSE(AsksAgain(process, kPace / 2, kPace));
      EXPECT_TRUE(AsksAgain(process, kPace, kPace));
      process->left.fetch_add(1);
      EXPECT_FALSE(AsksAgain(process, 0, kPaceAfterLeave));
      EXPECT_TRUE(AsksAgain(process, kPaceAfterLeave, kPaceAfterLeave));
      // That it asked in vain was seen after something was left: nothing more was since.
      EXPECT_FALSE(AsksAgain(process, kPace / 2, kPace));
    });
  });
}

TEST(ThreadEntry, AThreadThatFindsADeadOnesRingTakesIt) {
  InOwnProcess([] {
    Recording recording({OneRing()});
    // The only ring is of a thread that ended without a word.
    const ThreadLog* dead = nullptr;
    uint32_t tid = 0;
    OnAThread([&] {
      ASSERT_TRUE(Push("open"));
      dead = t_log;
      tid = t_log->tid;
      t_log->tid = 0;  // the key's destructor takes it for another's
    });
    const_cast<ThreadLog*>(dead)->tid = tid;
    while (SysCall(SYS_tgkill, SysPid(), tid, 0) == 0) SysCall(SYS_sched_yield);
    EXPECT_TRUE(Push("of the main thread"));
    EXPECT_EQ(t_log->ring, 0u);
    EXPECT_EQ(recording.Lost(kLoss_no_ring), 0u);
  });
}

TEST(ThreadEntry, EndingTwiceLeavesOneRing) {
  Recorded([](Recording& recording) {
    ASSERT_TRUE(Push("main"));
    ThreadLog& log = *t_log;
    EndThread(log);
    const uint64_t head = log.control->head.load();
    const uint32_t left = recording.process()->left.load();
    EndThread(log);
    EXPECT_EQ(log.control->head.load(), head);
    EXPECT_EQ(recording.process()->left.load(), left);
    EXPECT_EQ(recording.process()->free_logs.load(), 1u);
    EXPECT_TRUE(Push("begins anew"));
    EXPECT_EQ(t_log->stream, 2u);
  });
}

}  // namespace
}  // namespace syncline
