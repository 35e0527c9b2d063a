// SPDX-License-Identifier: Apache-2.0
// Entering and leaving of threads.
#include "inject/runtime/thread_entry.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <cstring>

#include "inject/core/clock.h"
#include "inject/core/device_times.h"
#include "inject/core/emit.h"
#include "inject/core/range_gate.h"
#include "inject/core/sys.h"
#include "inject/runtime/collector_calls.h"
#include "inject/runtime/in_process_consumer.h"
#include "inject/runtime/rings.h"
#include "inject/runtime/session.h"
#include "inject/runtime/thread_logs.h"

namespace syncline {

__thread ThreadLog* t_log __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

constexpr uint64_t kRetryNs = 10000000;
constexpr uint64_t kRetryAfterLeaveNs = 250000;
constexpr uint64_t kReapAllEveryNs = 1000000000;
constexpr uint32_t kReapAtOnce = 64;
constexpr pthread_key_t kInlineKeys = 32;  // glibc: setting a key beyond these allocates

// Pushes of this thread that found no ring; their pops are to come.
__thread uint32_t t_lost_pushes __attribute__((tls_model("initial-exec"))) = 0;
// In place of t_log where a fork's child inherits the log (IsWiped): each hook comes to
// AcquireThreadLog then, which asks whose process this is.
__thread ThreadLog* t_kept __attribute__((tls_model("initial-exec"))) = nullptr;
// 1 + ProcessState::left when this thread found no log or no ring; 0: it was not refused.
__thread uint32_t t_refused __attribute__((tls_model("initial-exec"))) = 0;

pthread_key_t g_key;
std::atomic<bool> g_have_key;

void EmitKernelName(ThreadLog& log) {
  char name[17] = "";
  SysCall(SYS_prctl, PR_GET_NAME, AsLong(name));
  EmitText(log, RecordKind::kThreadName, log.tid, 0, 0, kThreadNameOfKernel, name,
           strnlen(name, 16));
}

// Looks for dead threads, for one that came when there was no log or no ring: among all of them
// once in a while, else among a few, because each costs a system call.
void ReapSome(ProcessState* process) {
  const uint64_t now = MonotonicNs();
  uint64_t all = process->reap_all_ns.load(std::memory_order_relaxed);
  if (now - all >= kReapAllEveryNs && process->reap_all_ns.compare_exchange_strong(all, now))
    return ReapDeadThreads(process, kMaxLogs);
  ReapDeadThreads(process, kReapAtOnce);
}

// Whether a thread that was refused a log or a ring need not ask again yet. Refused threads share
// one pace, so that a thousand of them do not spend their time asking: soon after something was
// left, else rarely.
bool StillRefused(ProcessState* process) {
  if (t_refused == 0 || process == nullptr) return false;
  const bool same = t_refused == process->left.load(std::memory_order_acquire) + 1;
  uint64_t last = process->retry_ns.load(std::memory_order_relaxed);
  const uint64_t now = MonotonicNs();
  return now - last < (same ? kRetryNs : kRetryAfterLeaveNs) ||
         !process->retry_ns.compare_exchange_strong(last, now);
}

ThreadLog* Enter(ProcessState* process) {
  const uint32_t tid = SysTid();
  const uint32_t left = process->left.load(std::memory_order_acquire);
  ThreadLog* log = ClaimLog(process, tid);
  if (log == nullptr) {
    ReapSome(process);
    log = ClaimLog(process, tid);
  }
  if (log != nullptr) {
    log->busy = g_clock == ClockId::kTsc ? 0 : kSlowClock;
    if (IsOutsideStage()) log->busy |= kOutsideStage;
    if (process->session.header.load(std::memory_order_acquire)->facts.gate != 0)
      log->busy |= kHasGate;
    if (EnterRing(process, *log)) {
      t_refused = 0;
      if (g_have_key.load(std::memory_order_acquire) && g_key < kInlineKeys)
        pthread_setspecific(g_key, log);
      EmitKernelName(*log);
      TellStageOfThread(*log);
      return log;
    }
    FreeLog(process, *log);
  }
  t_refused = left + 1;
  return nullptr;
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
  t_log = t_kept = nullptr;
}

// The thread's log where no hook finds it by itself. Null: it has none in this process.
ThreadLog* KeptLog() {
  const ProcessState* process = FindProcess();
  const SegmentHeader* header =
      process == nullptr ? nullptr : process->session.header.load(std::memory_order_acquire);
  if (header != nullptr && header->facts.pid == SysPid())
    return t_kept != nullptr && t_kept->segment == header && t_kept->depth_limit != 0 ? t_kept
                                                                                      : nullptr;
  t_kept = nullptr;
  if (header != nullptr) BeForksChild();
  return nullptr;
}

// A vfork's child before its exec: a thread of the parent goes on with what it left behind. What is
// inherited by a fork is all zeros.
bool SharesParentsMemory(const ProcessState* process) {
  const SegmentHeader* header =
      process == nullptr ? nullptr : process->session.header.load(std::memory_order_acquire);
  if (header != nullptr) return header->facts.pid != SysPid();
  constexpr long kVm = 1;  // KCMP_VM (linux/kcmp.h)
  return !IsLoadingProcess() && SysCall(SYS_kcmp, SysPid(), SysCall(SYS_getppid), kVm, 0, 0) == 0;
}

}  // namespace

void PrepareThreadEnd() {
  if (g_have_key.load(std::memory_order_acquire)) return;
  if (pthread_key_create(&g_key, ThreadEnds) == 0)
    g_have_key.store(true, std::memory_order_release);
}

bool EnterRing(ProcessState* process, ThreadLog& log) {
  SegmentHeader* header = process->session.header.load(std::memory_order_acquire);
  int index = TakeRing(process, kMinRingBytes);
  if (index < 0) {
    ReapSome(process);
    index = ReuseRing(process, kMinRingBytes);
  }
  if (index < 0) {
    header->degraded.fetch_or(kThreadsWithoutRing, std::memory_order_relaxed);
    return false;
  }
  log.stream = header->next_stream.fetch_add(1, std::memory_order_relaxed) + 1;
  MoveInto(process, log, static_cast<uint32_t>(index));
  if (EmitStream(log, RecordKind::kStream)) return true;
  log.depth_limit = 0;
  LeaveRing(process, static_cast<uint32_t>(index));
  return false;
}

void EndThread(ThreadLog& log) {
  ProcessState* process = FindProcess();
  if (process == nullptr || log.depth_limit == 0) return;
  if (log.tid == SysTid()) EmitKernelName(log);  // else it is dead and we are the one who noticed
  PublishHeld(log);
  const uint64_t now = Ticks();
  log.over_depth = 0;
  EndDeviceTimes(log);
  while (log.depth != 0) {
    OpenRange& range = log.stack[log.depth - 1];
    range.flags |= kClosedByUs;
    PopSlowly(log, range.domain, now);
  }
  EmitStream(log, RecordKind::kStreamEnd);
  LeaveRing(process, log.ring);
  log.depth_limit = 0;
  log.limit = 0;
  FreeLog(process, log);
  process->left.fetch_add(1, std::memory_order_release);
}

bool ForgetLostPush() {
  if (t_lost_pushes == 0) return false;
  --t_lost_pushes;
  return true;
}

ThreadLog* AcquireThreadLog(HookKind kind) {
  if (!IsWiped()) {
    if (ThreadLog* log = KeptLog()) return log;
  }
  ProcessState* process = FindProcess();
  if (process != nullptr &&
      process->state.load(std::memory_order_relaxed) == SessionState::kRefused)
    return nullptr;
  ErrnoKeeper keeper;
  if (StillRefused(process)) {
    CountUnentered(kind, kLoss_no_ring);
    return nullptr;
  }
  SignalBlocker blocker;
  if (SharesParentsMemory(process)) {
    if (kind != HookKind::kEnds) CountLoss(kLoss_vfork_child);
    return nullptr;
  }
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
  (IsWiped() ? t_log : t_kept) = log;
  StartCollectorsOfLibraries(process);
  return log;
}

}  // namespace syncline
