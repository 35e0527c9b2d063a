// SPDX-License-Identifier: Apache-2.0
// Tests of the logs of threads: claiming, giving back, and finding those of threads that are dead.
#include "inject/runtime/thread_logs.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "inject/core/sys.h"
#include "inject/runtime/test_support.h"

namespace syncline {
namespace {

class ThreadLogsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    process_ = static_cast<ProcessState*>(MapWiped(sizeof(ProcessState)));
    ASSERT_NE(process_, nullptr);
  }
  void TearDown() override { SysUnmap(process_, sizeof(ProcessState)); }

  ProcessState* process_ = nullptr;
};

TEST_F(ThreadLogsTest, LogsAreNumberedAndEmpty) {
  for (uint32_t i = 0; i < 3 * kLogsPerPiece; ++i) {
    const ThreadLog* log = ClaimLog(process_, 100 + i);
    ASSERT_NE(log, nullptr);
    EXPECT_EQ(log->index, i);
    EXPECT_EQ(log->tid, 100 + i);
    EXPECT_EQ(log->depth_limit, 0u);
    EXPECT_EQ(log, LogAt(process_, i));
    EXPECT_EQ(process_->log_owner[i].load(), 100 + i);
  }
  EXPECT_EQ(LogCount(process_), 3 * kLogsPerPiece);
  EXPECT_EQ(LogAt(process_, 4 * kLogsPerPiece), nullptr);
}

TEST_F(ThreadLogsTest, AFreedLogIsTakenFirstAndEmpty) {
  ClaimLog(process_, 1);
  ThreadLog* log = ClaimLog(process_, 2);
  ClaimLog(process_, 3);
  log->depth = 7;
  log->next_name = 9;
  log->names[3].key = log;
  const uint32_t left = process_->left.load();
  FreeLog(process_, *log);
  EXPECT_EQ(process_->log_owner[1].load(), 0u);
  EXPECT_EQ(process_->free_logs.load(), 1u);
  EXPECT_EQ(process_->left.load(), left) << "who was refused a ring frees its log as well";
  EXPECT_EQ(ClaimLog(process_, 4), log);
  EXPECT_EQ(log->tid, 4u);
  EXPECT_EQ(log->index, 1u);
  EXPECT_EQ(log->depth, 0u);
  EXPECT_EQ(log->next_name, 0u);
  EXPECT_EQ(log->names[3].key, nullptr);
  EXPECT_EQ(process_->free_logs.load(), 0u);
  EXPECT_EQ(ClaimLog(process_, 5)->index, 3u);
}

TEST_F(ThreadLogsTest, AtMostKMaxLogs) {
  for (std::atomic<uint32_t>& owner : process_->log_owner) owner.store(1);
  process_->log_count.store(kMaxLogs - 1);
  process_->log_owner[kMaxLogs - 1].store(0);
  const ThreadLog* last = ClaimLog(process_, 2);
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->index, kMaxLogs - 1);
  EXPECT_EQ(ClaimLog(process_, 3), nullptr);
  FreeLog(process_, *last);
  EXPECT_EQ(ClaimLog(process_, 3), last);
}

TEST_F(ThreadLogsTest, ThreadsClaimAtOnce) {
  constexpr size_t kThreads = 4;
  constexpr size_t kEach = 50;
  std::vector<const ThreadLog*> taken(kThreads * kEach);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([this, i, &taken] {
      for (size_t k = 0; k < kEach; ++k) {
        taken[i * kEach + k] = ClaimLog(process_, static_cast<uint32_t>(1 + i));
        if (k % 5 == 4) {  // one is given back and taken again, perhaps by another
          FreeLog(process_, *taken[i * kEach + k]);
          taken[i * kEach + k] = ClaimLog(process_, static_cast<uint32_t>(1 + i));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<const ThreadLog*>(taken.begin(), taken.end()).size(), taken.size());
  EXPECT_EQ(std::count(taken.begin(), taken.end(), nullptr), 0);
}

TEST_F(ThreadLogsTest, AForksChildSeesZeros) {
  ThreadLog* log = ClaimLog(process_, 1);
  log->depth_limit = 5;
  ExpectInChild([] { return static_cast<long>(fork()); },
                [this, log] {
                  return process_->log_count.load() == 0 && LogAt(process_, 0) == nullptr &&
                         log->depth_limit == 0;
                });
  EXPECT_EQ(log->depth_limit, 5u);
}

// --- dead threads ---

// A thread that records and ends as if its key's destructor were not called. Its log.
ThreadLog* MakeDeadThread(const char* open_range) {
  ThreadLog* log = nullptr;
  uint32_t tid = 0;
  std::thread([&] {
    ASSERT_TRUE(Push("done"));
    Pop();
    ASSERT_TRUE(Push(open_range));
    log = t_log;
    tid = log->tid;
    log->tid = 0;  // the destructor takes it for another's
  }).join();
  log->tid = tid;
  // A thread that was joined is still there for a moment.
  while (SysCall(SYS_tgkill, getpid(), tid, 0) == 0) sched_yield();
  return log;
}

uint32_t StateOf(const Recording& recording, uint32_t ring) {
  return recording.header()->rings[ring].state.load();
}

TEST(ReapDeadThreads, EndsWhatADeadThreadLeft) {
  Recorded([](Recording& recording) {
    ASSERT_TRUE(Push("of the main thread"));
    ProcessState* process = recording.process();
    const ThreadLog* log = MakeDeadThread("open");
    const uint32_t ring = log->ring;
    EXPECT_EQ(StateOf(recording, ring), static_cast<uint32_t>(RingState::kOwned));
    const uint32_t left = process->left.load();
    ReapDeadThreads(process, kMaxLogs);
    EXPECT_EQ(StateOf(recording, ring), static_cast<uint32_t>(RingState::kIdle));
    EXPECT_EQ(process->log_owner[log->index].load(), 0u);
    EXPECT_EQ(process->free_logs.load(), 1u);
    EXPECT_GT(process->left.load(), left);
    EXPECT_EQ(recording.Control(ring)->depth.load(), 0u);
    const std::vector<const RecordHead*> records = recording.Records(ring);
    ASSERT_GT(records.size(), 2u);
    EXPECT_EQ(records.back()->kind, static_cast<uint8_t>(RecordKind::kStreamEnd));
    const RecordHead& range = *records[records.size() - 2];
    EXPECT_EQ(range.kind, static_cast<uint8_t>(RecordKind::kRange));
    EXPECT_EQ(range.flags, kClosedByUs);
    // The main thread lives.
    EXPECT_EQ(StateOf(recording, t_log->ring), static_cast<uint32_t>(RingState::kOwned));
    EXPECT_EQ(t_log->depth, 1u);
    Pop();
    EXPECT_EQ(recording.Lost(kLoss_unbalanced_pop), 0u);
  });
}

TEST(ReapDeadThreads, LooksAtAFewAtATimeInTurn) {
  Recorded([](Recording& recording) {
    ASSERT_TRUE(Push("of the main thread"));
    ProcessState* process = recording.process();
    const ThreadLog* first = MakeDeadThread("a");
    EXPECT_EQ(first->index, 1u);
    process->reap_at.store(0);
    ReapDeadThreads(process, 1);
    EXPECT_NE(process->log_owner[1].load(), 0u) << "only the main thread's was looked at";
    ReapDeadThreads(process, 1);
    EXPECT_EQ(process->log_owner[1].load(), 0u);
  });
}

}  // namespace
}  // namespace syncline
