// SPDX-License-Identifier: Apache-2.0
// The fake session: one large ring per thread that never wraps.
#include "tests/fake_session/fake_session.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>

#include "inject/core/clock.h"
#include "inject/core/collector.h"
#include "inject/core/sys.h"
#include "inject/core/thread_log.h"

namespace syncline {

__thread ThreadLog* t_log __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

constexpr uint64_t kRingBytes = uint64_t{64} << 20;  // sparse
constexpr uint64_t kDrainedRingBytes = 1 << 20;

struct FakeLog {
  ThreadLog* log;  // MADV_WIPEONFORK
  char* ring;
  uint32_t tid;
};

// Never destroyed: programs record until their very end.
std::mutex& Mutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}
std::vector<FakeLog>& Logs() {
  static auto* logs = new std::vector<FakeLog>;
  return *logs;
}

std::atomic<uint64_t> g_losses[kLossKinds];
std::atomic<uint64_t> g_limit{kRingBytes};
std::atomic<bool> g_drained{false};
std::atomic<bool> g_recording{true};
std::atomic<bool> g_enabled{true};
std::atomic<uint32_t> g_left_out{0};
std::atomic<void (*)()> g_fork_child{nullptr};
std::atomic<int> g_pid{0};

char* Map(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return static_cast<char*>(memory);
}

void ForgetLosses() {
  for (auto& loss : g_losses) loss = 0;
}

void ForgetParent() {
  const int pid = getpid();
  const int before = g_pid.exchange(pid);
  if (before == pid || before == 0) return;
  new (&Mutex()) std::mutex;  // only this thread is left; another may have held it
  Logs().clear();
  ForgetLosses();
  if (g_fork_child != nullptr) g_fork_child.load()();
}

// All threads' and, after a fork, the child's too.
SegmentHeader* FakeSegment() {
  static auto* segment = new (Map(sizeof(SegmentHeader))) SegmentHeader{};
  return segment;
}

ThreadLog* MakeThreadLog() {
  auto* log = new (Map(sizeof(ThreadLog))) ThreadLog{};
  madvise(log, (sizeof(ThreadLog) + 4095) & ~size_t{4095}, MADV_WIPEONFORK);
  log->segment = FakeSegment();
  log->control = new (Map(sizeof(RingControl))) RingControl{};
  log->stack = reinterpret_cast<OpenRange*>(Map(kMaxOpenRanges * sizeof(OpenRange)));
  log->data = Map(kRingBytes);
  log->mask = (g_drained ? kDrainedRingBytes : kRingBytes) - 1;
  log->depth_limit = kMaxOpenRanges;
  log->tid = SysTid();
  log->busy = g_clock == ClockId::kTsc ? 0 : kSlowClock;
  return log;
}

}  // namespace

bool ForgetLostPush() { return false; }

ThreadLog* AcquireThreadLog(HookKind kind) {
  ErrnoKeeper keeper;
  ForgetParent();
  if (!g_recording) {
    if (kind == HookKind::kBegins) CountLoss(kLoss_no_ring);
    return nullptr;
  }
  std::lock_guard<std::mutex> lock(Mutex());
  static const ClockId kClock = NodeClock();
  if (g_clock != kClock) g_clock = kClock;
  ThreadLog* log = MakeThreadLog();
  Logs().push_back({log, log->data, log->tid});
  t_log = log;
  return log;
}

bool MakeDepth(ThreadLog&) { return false; }

bool MakeRoom(ThreadLog& log, uint64_t bytes) {
  if (g_drained) {
    if ((log.head & log.mask) + bytes > log.mask + 1) log.head = (log.head | log.mask) + 1;
    log.limit = log.head + kDrainedRingBytes / 2;
    return true;
  }
  const uint64_t limit = std::min(g_limit.load(), kRingBytes);
  if (log.head + bytes > limit) return false;
  log.limit = limit;
  return true;
}

void CountLoss(Loss kind, uint64_t count) { g_losses[kind] += count; }

bool CollectorEnabled(const char*) { return g_enabled; }

void TellLeftOut(Source source) { g_left_out |= 1u << source; }

namespace test {

void ResetSession() {
  std::lock_guard<std::mutex> lock(Mutex());
  for (const FakeLog& fake : Logs()) munmap(fake.ring, kRingBytes);
  Logs().clear();
  t_log = nullptr;
  ForgetLosses();
  g_limit = kRingBytes;
  g_recording = true;
  g_enabled = true;
  g_left_out = 0;
}

uint64_t Losses(Loss kind) { return g_losses[kind]; }

uint64_t AllLosses() {
  uint64_t sum = 0;
  for (const auto& loss : g_losses) sum += loss;
  return sum;
}

void LimitRings(uint64_t bytes) {
  g_limit = bytes;
  std::lock_guard<std::mutex> lock(Mutex());
  for (const FakeLog& fake : Logs()) fake.log->limit = 0;
}

void DrainRings() { g_drained = true; }

void SetRecording(bool on) {
  g_recording = on;
  t_log = nullptr;
}

void SetCollectorEnabled(bool on) { g_enabled = on; }

uint32_t LeftOut() { return g_left_out; }

void SetBusy(bool on) {
  t_log->busy &= kLastingBits;
  // A hook far above: the caller is a handler that interrupted it.
  if (on) t_log->busy |= (reinterpret_cast<uintptr_t>(&on) | 7) + 1 + 65536;
}

void SetForkChild(void (*fork_child)()) { g_fork_child = fork_child; }

std::vector<ThreadRecords> RecordsOfThreads() {
  std::vector<ThreadRecords> threads;
  std::lock_guard<std::mutex> lock(Mutex());
  for (const FakeLog& fake : Logs()) threads.push_back({fake.tid, fake.ring, fake.log->head});
  return threads;
}

const OpenRange* OpenRanges(uint32_t* depth) {
  *depth = t_log != nullptr ? t_log->depth : 0;
  return t_log != nullptr ? t_log->stack : nullptr;
}

}  // namespace test
}  // namespace syncline
