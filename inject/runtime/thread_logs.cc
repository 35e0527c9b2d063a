// SPDX-License-Identifier: Apache-2.0
// The table of logs.
#include "inject/runtime/thread_logs.h"

#include <sys/mman.h>

#include <cstddef>
#include <cstring>

#include "inject/core/sys.h"
#include "inject/runtime/thread_entry.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace syncline {
namespace {

std::atomic<bool> g_not_wiped;

// The log with this index, mapped if needed.
ThreadLog* MakeLog(ProcessState* process, uint32_t index) {
  std::atomic<ThreadLog*>& slot = process->log_pieces[index / kLogsPerPiece];
  if (slot.load(std::memory_order_acquire) == nullptr) {
    constexpr size_t kBytes = kLogsPerPiece * sizeof(ThreadLog);
    auto* made = static_cast<ThreadLog*>(MapWiped(kBytes));
    ThreadLog* expected = nullptr;
    if (made != nullptr && !slot.compare_exchange_strong(expected, made, std::memory_order_acq_rel))
      SysUnmap(made, kBytes);
  }
  return LogAt(process, index);
}

// The index of a log that has no owner, now ours; -1: none.
int ClaimFree(ProcessState* process, uint32_t tid) {
  const uint32_t count = LogCount(process);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t free = 0;
    if (process->log_owner[i].load(std::memory_order_relaxed) != 0) continue;
    if (!process->log_owner[i].compare_exchange_strong(free, tid, std::memory_order_acquire))
      continue;
    process->free_logs.fetch_sub(1, std::memory_order_relaxed);
    return static_cast<int>(i);
  }
  return -1;
}

int ClaimNew(ProcessState* process, uint32_t tid) {
  if (LogCount(process) == kMaxLogs) return -1;
  const uint32_t index = process->log_count.load(std::memory_order_relaxed);
  for (uint32_t i = index; i < kMaxLogs; ++i) {
    uint32_t free = 0;
    if (!process->log_owner[i].compare_exchange_strong(free, tid, std::memory_order_acquire))
      continue;
    uint32_t seen = process->log_count.load(std::memory_order_relaxed);
    while (seen <= i && !process->log_count.compare_exchange_weak(seen, i + 1)) {
    }
    return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

void* MapWiped(size_t bytes) {
  void* memory =
      SysMap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  if (memory == nullptr) return nullptr;
  if (SysCall(SYS_madvise, AsLong(memory), static_cast<long>(bytes), MADV_WIPEONFORK) != 0)
    g_not_wiped.store(true, std::memory_order_relaxed);
  SysCall(SYS_madvise, AsLong(memory), static_cast<long>(bytes), MADV_DONTDUMP);
  return memory;
}

bool IsWiped() { return !g_not_wiped.load(std::memory_order_relaxed); }

ThreadLog* ClaimLog(ProcessState* process, uint32_t tid) {
  int index = -1;
  if (process->free_logs.load(std::memory_order_relaxed) != 0) index = ClaimFree(process, tid);
  if (index < 0) index = ClaimNew(process, tid);
  if (index < 0) return nullptr;
  ThreadLog* log = MakeLog(process, static_cast<uint32_t>(index));
  if (log == nullptr) {
    process->log_owner[index].store(0, std::memory_order_release);
    process->free_logs.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  if (log->tid != 0) {  // a new one is all zeros, and untouched
    void* stacks = log->stacks;
    // Most threads have touched only what stands before the contents.
    std::memset(log, 0, log->content_count == 0 ? offsetof(ThreadLog, contents) : sizeof(*log));
    log->stacks = stacks;
  }
  log->tid = tid;
  log->index = static_cast<uint32_t>(index);
  return log;
}

void FreeLog(ProcessState* process, const ThreadLog& log) {
  process->log_owner[log.index].store(0, std::memory_order_release);
  process->free_logs.fetch_add(1, std::memory_order_relaxed);
}

void ReapDeadThreads(ProcessState* process, uint32_t most) {
  const int32_t pid = SysPid();
  const uint32_t count = LogCount(process);
  if (most > count) most = count;
  const uint32_t begin = process->reap_at.fetch_add(most, std::memory_order_relaxed);
  for (uint32_t i = 0; i < most; ++i) {
    const uint32_t index = (begin + i) % count;
    uint32_t owner = process->log_owner[index].load(std::memory_order_acquire);
    if (owner == 0 || SysCall(SYS_tgkill, pid, owner, 0) != -ESRCH) continue;
    if (!process->log_owner[index].compare_exchange_strong(owner, SysTid(),
                                                           std::memory_order_acquire))
      continue;
    ThreadLog* log = LogAt(process, index);
    if (log == nullptr) continue;
    if (log->depth_limit != 0) {
      EndThread(*log);
    } else {
      FreeLog(process, *log);  // it died before it had a ring
    }
  }
}

}  // namespace syncline
