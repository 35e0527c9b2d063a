// SPDX-License-Identifier: Apache-2.0
// Entering and leaving of threads.
#include "inject/runtime/thread_entry.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <cstring>

#include "inject/core/clock.h"
#include "inject/core/emit.h"
#include "inject/core/sys.h"
#include "inject/runtime/rings.h"
#include "inject/runtime/session.h"

namespace syncline {

__thread ThreadLog* t_log __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

constexpr pthread_key_t kInlineKeys = 32;  // glibc: setting a key beyond these allocates

// Pushes of this thread that found no ring; their pops are to come.
__thread uint32_t t_lost_pushes __attribute__((tls_model("initial-exec"))) = 0;

pthread_key_t g_key;
std::atomic<bool> g_have_key;

void EmitKernelName(ThreadLog& log) {
  char name[17] = "";
  SysCall(SYS_prctl, PR_GET_NAME, AsLong(name));
  EmitText(log, RecordKind::kThreadName, log.tid, 0, 0, kThreadNameOfKernel, name,
           strnlen(name, 16));
}

// A row of `logs` for this thread. Index, or -1.
int ClaimLog(ProcessState* process, uint32_t tid) {
  for (uint32_t i = 0; i < process->log_count; ++i) {
    uint32_t free = 0;
    if (process->log_owner[i].load(std::memory_order_relaxed) != 0) continue;
    if (process->log_owner[i].compare_exchange_strong(free, tid, std::memory_order_acquire))
      return static_cast<int>(i);
  }
  return -1;
}

// Threads that ended without our key's destructor (glibc gives up after four rounds; keys beyond
// the inline ones).
void ReapDeadThreads(ProcessState* process) {
  const int32_t pid = SysPid();
  for (uint32_t i = 0; i < process->log_count; ++i) {
    uint32_t owner = process->log_owner[i].load(std::memory_order_acquire);
    if (owner == 0 || SysCall(SYS_tgkill, pid, owner, 0) != -ESRCH) continue;
    if (!process->log_owner[i].compare_exchange_strong(owner, SysTid(), std::memory_order_acquire))
      continue;
    EndThread(process->logs[i]);
  }
}

ThreadLog* Enter(ProcessState* process) {
  const uint32_t tid = SysTid();
  int index = ClaimLog(process, tid);
  if (index < 0) {
    ReapDeadThreads(process);
    index = ClaimLog(process, tid);
  }
  if (index < 0) return nullptr;
  ThreadLog& log = process->logs[index];
  std::memset(&log, 0, sizeof(log));
  log.tid = tid;
  log.busy = g_clock == ClockId::kTsc ? 0 : kSlowClock;
  if (!EnterRing(process, log)) {
    process->log_owner[index].store(0, std::memory_order_release);
    return nullptr;
  }
  if (g_have_key.load(std::memory_order_acquire) && g_key < kInlineKeys)
    pthread_setspecific(g_key, &log);
  EmitKernelName(log);
  return &log;
}

// A thread that could not enter: what it begins is lost, what it ends it had begun so.
void CountUnentered(HookKind kind, Loss loss) {
  if (kind == HookKind::kEnds) {
    ForgetLostPush();
  } else {
    ++t_lost_pushes;
    CountLoss(loss);
  }
}

void ThreadEnds(void* value) {
  ErrnoKeeper keeper;
  auto* log = static_cast<ThreadLog*>(value);
  if (log == nullptr || log->depth_limit == 0 || log->tid != SysTid()) return;
  SignalBlocker blocker;
  EndThread(*log);
  t_log = nullptr;
}

}  // namespace

void PrepareThreadEnd() {
  if (g_have_key.load(std::memory_order_acquire)) return;
  if (pthread_key_create(&g_key, ThreadEnds) == 0)
    g_have_key.store(true, std::memory_order_release);
}

bool EnterRing(ProcessState* process, ThreadLog& log) {
  // Before the segment: if both are replaced meanwhile, the old number makes the thread enter once
  // more.
  log.generation = process->session.generation.load(std::memory_order_acquire);
  SegmentHeader* header = process->session.header.load(std::memory_order_acquire);
  int index = TakeRing(process, header, kMinRingBytes);
  if (index < 0) {
    ReapDeadThreads(process);
    index = ReuseRing(process, header, kMinRingBytes);
  }
  if (index < 0) {
    header->degraded.fetch_or(kThreadsWithoutRing, std::memory_order_relaxed);
    return false;
  }
  log.stream = header->next_stream.fetch_add(1, std::memory_order_relaxed) + 1;
  MoveInto(process, log, header, static_cast<uint32_t>(index));
  log.depth_limit = kMaxOpenRanges;
  if (EmitStream(log, RecordKind::kStream)) return true;
  log.depth_limit = 0;
  LeaveRing(header, static_cast<uint32_t>(index));
  return false;
}

void EndThread(ThreadLog& log) {
  ProcessState* process = FindProcess();
  if (process == nullptr || log.depth_limit == 0) return;
  SegmentHeader* header = log.segment;
  if (log.generation == process->session.generation.load(std::memory_order_relaxed)) {
    if (log.tid == SysTid()) EmitKernelName(log);  // else it is dead and we are the one who noticed
    const uint64_t now = Ticks();
    log.over_depth = 0;
    while (log.depth != 0) {
      OpenRange& range = log.stack[log.depth - 1];
      range.flags |= kClosedByUs;
      PopSlowly(log, range.domain, now);
    }
    EmitStream(log, RecordKind::kStreamEnd);
    LeaveRing(header, log.ring);
  }
  log.depth_limit = 0;
  log.limit = 0;
  const size_t index = static_cast<size_t>(&log - process->logs);
  process->log_owner[index].store(0, std::memory_order_release);
}

bool ForgetLostPush() {
  if (t_lost_pushes == 0) return false;
  --t_lost_pushes;
  return true;
}

ThreadLog* AcquireThreadLog(HookKind kind) {
  ProcessState* process = FindProcess();
  if (process != nullptr &&
      process->state.load(std::memory_order_relaxed) == SessionState::kRefused)
    return nullptr;
  ErrnoKeeper keeper;
  SignalBlocker blocker;
  t_log = nullptr;  // in a fork's child it points at wiped memory
  process = GetProcess();
  if (process == nullptr) return nullptr;
  if (!EnsureSession(process)) {
    if (process->state.load(std::memory_order_relaxed) != SessionState::kRefused)
      CountUnentered(kind, kLoss_starting);
    return nullptr;
  }
  const uint64_t begin = Ticks();
  ThreadLog* log = Enter(process);
  SegmentHeader* header = process->session.header.load(std::memory_order_acquire);
  if (header != nullptr) header->self_ticks.fetch_add(Ticks() - begin, std::memory_order_relaxed);
  if (log == nullptr) CountUnentered(kind, kLoss_no_ring);
  t_log = log;
  return log;
}

}  // namespace syncline
