// SPDX-License-Identifier: Apache-2.0
// One bit a collector in wiped memory says that it was started: a fork's child begins anew.
#include "inject/runtime/collector_calls.h"

#include <pthread.h>

#include <atomic>

#include "inject/core/clock.h"
#include "inject/core/collector.h"
#include "inject/core/helper_thread.h"
#include "inject/core/log.h"
#include "inject/core/own_thread.h"
#include "inject/core/sys.h"
#include "inject/runtime/in_process_consumer.h"
#include "inject/runtime/mapped_libraries.h"
#include "inject/runtime/session.h"

namespace syncline {
namespace {

constexpr uint64_t kMaxFlushNs = 1'000'000'000;
constexpr size_t kStackBytes = 2 << 20;  // a vendor's library runs on it
constexpr size_t kGuardBytes = 4096;

uint32_t BitOf(const CollectorDescription& collector) { return 1u << collector.source; }

// Collectors whose library was found. A fork's child inherits it, and does not look by itself: the
// lock of the loader's list may be held there by a thread that it does not have.
std::atomic<uint32_t> g_found;

bool LibraryIsThere(const CollectorDescription& collector, bool recording) {
  if ((g_found.load(std::memory_order_relaxed) & BitOf(collector)) != 0) return true;
  const bool ask = !recording && collector.linked_in != nullptr;
  if (!IsLoadingProcess() ||
      !(ask ? collector.linked_in() : IsMapped(collector.libraries, kMaxLibraries)))
    return false;
  g_found.fetch_or(BitOf(collector), std::memory_order_relaxed);
  return true;
}

void* RunStart(void* argument) {
  pthread_setname_np(pthread_self(), "syncline-start");
  static_cast<const CollectorDescription*>(argument)->start();
  return nullptr;
}

// Outside of all hooks: where a library has just appeared, other threads may hold the loader's lock
// and wait for the very thread whose hook noticed it.
void StartOnOwnThread(const CollectorDescription& collector) {
  auto* argument = const_cast<CollectorDescription*>(&collector);  // NOLINT: given back const
  if (SanitizerForbidsThread() || !StartOwnThread(RunStart, argument, kStackBytes, kGuardBytes)) {
    Log(LogLevel::kWarn,
        "no thread could be started (ulimit -u, or ThreadSanitizer after a fork), so this is not "
        "recorded:",
        collector.name);
  }
}

bool IsDue(const CollectorDescription& collector, bool recording) {
  switch (collector.start_at) {
    case StartAt::kProcessStart:
      return true;
    case StartAt::kFirstRecord:
      return recording;
    case StartAt::kLibrary:
      return LibraryIsThere(collector, recording);
  }
  return false;
}

// Collectors that were started in this process, or where children inherit that, in a parent.
std::atomic<uint32_t> g_inherited;

bool IsWanted(const CollectorDescription& collector) {
  return collector.is_companion || CollectorEnabled(collector.name);
}

bool IsWaiting(const ProcessState* process, const CollectorDescription& collector) {
  return collector.start != nullptr && IsWanted(collector) &&
         (g_inherited.load(std::memory_order_relaxed) & BitOf(collector)) == 0 &&
         (process->started.load(std::memory_order_relaxed) & BitOf(collector)) == 0;
}

}  // namespace

void StartCollectorsOfProcess() {
  for (size_t i = 0; i < kCollectorCount; ++i) {
    const CollectorDescription& collector = *kCollectors[i];
    if (collector.at_load != nullptr && IsWanted(collector)) collector.at_load();
  }
  for (size_t i = 0; i < kCollectorCount; ++i) {
    if (kCollectors[i]->start == nullptr || !IsDue(*kCollectors[i], false)) continue;
    ProcessState* process = GetProcess();
    if (process != nullptr) StartDueCollectors(process, false);
    return;
  }
}

void StartDueCollectors(ProcessState* process, bool recording) {
  ErrnoKeeper keeper;
  for (size_t i = 0; i < kCollectorCount; ++i) {
    const CollectorDescription& collector = *kCollectors[i];
    if (!IsWaiting(process, collector) || !IsDue(collector, recording)) continue;
    // Two threads may come by at once.
    if ((process->started.fetch_or(BitOf(collector)) & BitOf(collector)) != 0) continue;
    if (collector.children_inherit) {
      g_inherited.fetch_or(BitOf(collector), std::memory_order_relaxed);
    } else {
      WatchForks();
    }
    if (recording && collector.start_at == StartAt::kLibrary) {
      StartOnOwnThread(collector);
    } else {
      collector.start();
    }
  }
}

void StartCollectorsOfLibraries(ProcessState* process) {
  if (!IsLoadingProcess()) return;
  bool waiting = false;
  for (size_t i = 0; i < kCollectorCount; ++i)
    waiting = waiting || (kCollectors[i]->start_at == StartAt::kLibrary &&
                          IsWaiting(process, *kCollectors[i]));
  if (!waiting) return;
  // A handler that left the walk by a jump would keep the lock of the loader's list.
  const SignalBlocker blocker;
  const uint64_t loaded = LibrariesLoaded();
  if (process->libraries_seen.exchange(loaded, std::memory_order_relaxed) != loaded)
    StartDueCollectors(process, true);
}

void FlushCollectors() {
  const uint64_t until = MonotonicNs() + kMaxFlushNs;
  for (size_t i = 0; i < kCollectorCount; ++i) {
    if (kCollectors[i]->flush != nullptr && CollectorEnabled(kCollectors[i]->name))
      kCollectors[i]->flush(until);
  }
  EndHelpers();
}

void TellCollectorsOfFork() {
  ForgetHelpers();
  for (size_t i = 0; i < kCollectorCount; ++i) {
    if (kCollectors[i]->fork_child != nullptr) kCollectors[i]->fork_child();
  }
}

}  // namespace syncline
