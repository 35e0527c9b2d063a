// SPDX-License-Identifier: Apache-2.0
// The test's session: one large ring per thread that never wraps.
#include "collectors/nvtx/test_session.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include "collectors/nvtx/nvtx_entry.h"
#include "collectors/nvtx/nvtx_headers.h"
#include "inject/core/clock.h"
#include "inject/core/collector.h"
#include "inject/core/sys.h"

namespace syncline {

extern const CollectorDescription kCollector_nvtx;
__thread ThreadLog* t_log __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

constexpr uint64_t kRingBytes = uint64_t{64} << 20;  // sparse
constexpr uint64_t kDrainedRingBytes = 1 << 20;

struct TestLog {
  ThreadLog* log;  // MADV_WIPEONFORK
  char* ring;
  uint32_t tid;
};

std::mutex& Mutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}
std::vector<TestLog>& Logs() {
  static auto* logs = new std::vector<TestLog>;
  return *logs;
}

std::atomic<uint64_t> g_losses[kLossKinds];
std::atomic<uint64_t> g_limit{kRingBytes};
std::atomic<bool> g_drained{false};
std::atomic<bool> g_recording{true};
std::atomic<bool> g_enabled{true};
int g_pid = 0;

char* Map(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return static_cast<char*>(memory);
}

void ForgetParent() {
  if (g_pid == getpid()) return;
  if (g_pid != 0) {
    new (&Mutex()) std::mutex;  // only this thread is left; another may have held it
    Logs().clear();
    for (auto& loss : g_losses) loss = 0;
    kCollector_nvtx.fork_child();
  }
  g_pid = getpid();
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
  if (g_clock != ClockId::kTsc) g_clock = NodeClock();
  std::lock_guard<std::mutex> lock(Mutex());
  auto* log = new (Map(sizeof(ThreadLog))) ThreadLog{};
  madvise(log, (sizeof(ThreadLog) + 4095) & ~size_t{4095}, MADV_WIPEONFORK);
  log->control = new (Map(sizeof(RingControl))) RingControl{};
  log->stack = reinterpret_cast<OpenRange*>(Map(kMaxOpenRanges * sizeof(OpenRange)));
  log->data = Map(kRingBytes);
  log->mask = (g_drained ? kDrainedRingBytes : kRingBytes) - 1;
  log->depth_limit = kMaxOpenRanges;
  log->tid = SysTid();
  log->busy = g_clock == ClockId::kTsc ? 0 : kSlowClock;
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
  const uint64_t limit = g_limit < kRingBytes ? g_limit.load() : kRingBytes;
  if (log.head + bytes > limit) return false;
  log.limit = limit;
  return true;
}

void CountLoss(Loss kind, uint64_t count) { g_losses[kind] += count; }

bool CollectorEnabled(const char*) { return g_enabled; }

namespace test {

void ResetSession() {
  std::lock_guard<std::mutex> lock(Mutex());
  for (TestLog& test : Logs()) munmap(test.ring, kRingBytes);
  Logs().clear();
  t_log = nullptr;
  for (auto& loss : g_losses) loss = 0;
  g_limit = kRingBytes;
  g_recording = true;
  g_enabled = true;
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
  for (TestLog& test : Logs()) test.log->limit = 0;
}

void DrainRings() { g_drained = true; }

void SetRecording(bool on) {
  g_recording = on;
  t_log = nullptr;
}

void SetCollectorEnabled(bool on) { g_enabled = on; }

void ForEachThread(void (*visit)(const char* records, uint64_t bytes, uint32_t tid, void* context),
                   void* context) {
  std::lock_guard<std::mutex> lock(Mutex());
  for (const TestLog& test : Logs()) visit(test.ring, test.log->head, test.tid, context);
}

const OpenRange* OpenRanges(uint32_t* depth) {
  *depth = t_log != nullptr ? t_log->depth : 0;
  return t_log != nullptr ? t_log->stack : nullptr;
}

}  // namespace test
}  // namespace syncline

// NVTX's own hook for tools that are linked in: the vendor's headers in the tests find it and
// attach themselves.
extern "C" {
int AttachLinkedIn(NvtxGetExportTableFunc_t get_export_table) {
  return syncline::nvtx::Attach(reinterpret_cast<void*>(get_export_table), nullptr);
}
int AttachLinkedInExtension(nvtxExtModuleInfo_t* info) {
  return syncline::nvtx::AttachExtension(info, nullptr);
}
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = AttachLinkedIn;
NvtxExtInitializeInjectionFunc_t InitializeInjectionNvtxExtension_fnptr = AttachLinkedInExtension;
}

namespace {

// A tool in the environment would be asked before us.
__attribute__((constructor(101))) void ForgetEnvironment() { unsetenv("NVTX_INJECTION64_PATH"); }

}  // namespace
