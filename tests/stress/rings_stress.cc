// SPDX-License-Identifier: Apache-2.0
// Many threads record while the process's own consumer drains: every range is in the spool or
// counted as lost.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "inject/core/collector.h"
#include "inject/core/emit.h"
#include "inject/core/spool_format.h"
#include "inject/runtime/process_state.h"
#include "inject/runtime/session.h"

namespace syncline {

const CollectorDescription* const kCollectors[] = {nullptr};
const size_t kCollectorCount = 0;

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr int kScale = 1;
#else
constexpr int kScale = 10;
#endif

// As a collector's hooks do it; false: the library did not take it, and has counted it.
bool Push(const char* name) {
  HookScope scope;
  return scope && PushRange(scope.log(), 1, NameId(scope.log(), name), 0) != nullptr;
}

void Pop() {
  HookScope scope(HookKind::kEnds);
  if (scope) PopRange(scope.log(), 0, Ticks());
}

// Ranges by name in all spools of the run. Names are numbered per stream.
class SpoolCounts {
 public:
  explicit SpoolCounts(const std::string& folder) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == kSpoolSuffix) ReadFile(entry.path());
    }
  }
  uint64_t operator[](const std::string& name) { return counts_[name]; }

 private:
  struct Ring {
    uint64_t stream = 0;
  };

  void ReadFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::map<uint32_t, Ring> rings;
    std::map<std::pair<uint64_t, uint32_t>, std::string> names;
    BlockHead head;
    while (file.read(reinterpret_cast<char*>(&head), sizeof(head)) && head.magic == kBlockMagic) {
      std::string payload((head.bytes + 7) / 8 * 8, '\0');
      file.read(payload.data(), static_cast<std::streamsize>(payload.size()));
      if (head.type != static_cast<uint16_t>(BlockType::kRecords)) continue;
      ReadRecords(payload.data(), head.bytes, &rings[head.ring], &names);
    }
  }

  void ReadRecords(const char* data, size_t bytes, Ring* ring,
                   std::map<std::pair<uint64_t, uint32_t>, std::string>* names) {
    for (size_t at = 0; at + kSlotBytes <= bytes;) {
      RecordHead head;
      std::memcpy(&head, data + at, sizeof(head));
      ASSERT_NE(head.slots, 0);
      ASSERT_LE(at + head.slots * size_t{kSlotBytes}, bytes);
      if (head.kind == static_cast<uint8_t>(RecordKind::kStream))
        std::memcpy(&ring->stream, data + at + 8, 8);
      if (head.kind == static_cast<uint8_t>(RecordKind::kName)) {
        TextRecord record;
        std::memcpy(&record, data + at, sizeof(record));
        (*names)[{ring->stream, head.id}] = std::string(data + at + sizeof(record), record.bytes);
      }
      if (head.kind == static_cast<uint8_t>(RecordKind::kRange)) {
        RangeRecord record;
        std::memcpy(&record, data + at, sizeof(record));
        ASSERT_LE(record.begin, record.end);
        ++counts_[(*names)[{ring->stream, head.id}]];
      }
      at += head.slots * size_t{kSlotBytes};
    }
  }

  std::map<std::string, uint64_t> counts_;
};

class RingsStress : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    char name[] = "/tmp/syncline-stress-XXXXXX";
    folder_ = mkdtemp(name);
    setenv("SYNCLINE_CONSUMER", "process", 1);
    setenv("SYNCLINE_SPOOL", folder_.c_str(), 1);
    setenv("SYNCLINE_MEMORY_RING", "1M", 1);
    ASSERT_TRUE(Push("first"));
    Pop();
  }
  static void TearDownTestSuite() {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (entry.is_symlink())  // to a segment in /dev/shm
        std::filesystem::remove(std::filesystem::read_symlink(entry.path()), ignored);
    }
    std::filesystem::remove_all(folder_);
  }

  // Waits until the consumer has taken what every ring holds.
  static void WaitUntilDrained() {
    SegmentHeader* header = GetProcess()->session.header.load();
    ASSERT_NE(header, nullptr);
    for (uint32_t i = 0; i < header->ring_count.load() && i < kMaxRings; ++i) {
      auto* control =
          reinterpret_cast<RingControl*>(reinterpret_cast<char*>(header) + header->rings[i].offset);
      for (int wait = 0; control->tail.load() != control->head.load(); ++wait) {
        ASSERT_LT(wait, 2000) << "ring " << i << " is not drained";
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }
    std::this_thread::sleep_for(
        std::chrono::milliseconds(100));  // the tail moves before a block is on disk
  }

  static uint64_t Lost(Loss kind) {
    return GetProcess()->session.header.load()->losses[kind].load();
  }

  static uint64_t AllLost() {
    uint64_t sum = 0;
    for (uint32_t kind = 0; kind < kLossKinds; ++kind) sum += Lost(static_cast<Loss>(kind));
    return sum;
  }

  static std::string folder_;
};

std::string RingsStress::folder_;

// A thread whose first record falls into the start of the session waits a moment, once; then what
// it begins is counted as lost, and its pop is no misuse.
TEST_F(RingsStress, AStartThatHangsIsWaitedForOnce) {
  ProcessState* process = GetProcess();
  process->state.store(SessionState::kStarting);
  process->starter.store(1);
  const uint64_t lost = Lost(kLoss_starting);
  const uint64_t unbalanced = Lost(kLoss_unbalanced_pop);
  std::thread([] {
    Push("never seen");
    Pop();
  }).join();
  EXPECT_TRUE(process->starts_slowly.load());
  EXPECT_EQ(Lost(kLoss_starting), lost + 1);
  EXPECT_EQ(Lost(kLoss_unbalanced_pop), unbalanced);
  process->state.store(SessionState::kOn);
  process->starts_slowly.store(false);
}

TEST_F(RingsStress, FourThreadsAtFullSpeed) {
  const uint64_t lost_before = AllLost();
  static constexpr int kEach = 50000 * kScale;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int k = 0; k < kEach; ++k) {
        Push("full speed");
        Pop();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  WaitUntilDrained();
  EXPECT_EQ(SpoolCounts(folder_)["full speed"] + AllLost() - lost_before,
            4u * static_cast<uint64_t>(kEach));
}

TEST_F(RingsStress, ThousandsOfShortThreadsShareFewRings) {
  const int count = 500 * kScale;
  const uint64_t lost_before = AllLost();
  for (int begin = 0; begin < count; begin += 10) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 10; ++i) {
      threads.emplace_back([] {
        Push("outer");
        Push("short");
        Pop();
        Pop();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  WaitUntilDrained();
  SpoolCounts counts(folder_);
  EXPECT_EQ(AllLost(), lost_before);
  EXPECT_EQ(counts["short"], static_cast<uint64_t>(count));
  EXPECT_EQ(counts["outer"], static_cast<uint64_t>(count));
  EXPECT_LT(GetProcess()->session.header.load()->ring_count.load(), 200u);
}

TEST_F(RingsStress, ManyNamesGrowTheRing) {
  static constexpr int kEach = 2000 * kScale;
  const uint64_t lost_before = AllLost();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([i] {
      char name[300];
      for (int k = 0; k < kEach; ++k) {
        std::memset(name, 'n', sizeof(name));
        snprintf(name + 250, 50, "%d %d", i, k);
        Push(name);
        Pop();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  WaitUntilDrained();
  SpoolCounts counts(folder_);
  uint64_t found = 0;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < kEach; ++k)
      found += counts[std::string(250, 'n') + std::to_string(i) + " " + std::to_string(k)];
  }
  EXPECT_GE(found + AllLost() - lost_before, 3u * static_cast<uint64_t>(kEach));
  EXPECT_GT(found, 0u);
}

std::atomic<uint64_t> handled;

void Handler(int) {
  Push("handler");
  Pop();
  handled.fetch_add(1, std::memory_order_relaxed);
}

TEST_F(RingsStress, HandlersInterruptTheirOwnThread) {
  struct sigaction action = {};
  action.sa_handler = Handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  itimerval timer = {{0, 300}, {0, 300}};
  setitimer(ITIMER_REAL, &timer, nullptr);
  uint64_t pushed = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  for (; std::chrono::steady_clock::now() < end; ++pushed) {
    Push("interrupted");
    Pop();
    if (pushed % 1000 == 0) std::this_thread::yield();
  }
  const itimerval off = {};
  setitimer(ITIMER_REAL, &off, nullptr);
  WaitUntilDrained();
  SpoolCounts counts(folder_);
  EXPECT_GE(counts["interrupted"] + AllLost(), pushed);
  EXPECT_LE(counts["handler"], handled.load());
  EXPECT_GE(counts["handler"] + AllLost(), handled.load());
}

}  // namespace
}  // namespace syncline
