// SPDX-License-Identifier: Apache-2.0
// One bit a collector in wiped memory says that it was started: a fork's child begins anew.
#include "inject/runtime/collector_calls.h"

#include "inject/core/clock.h"
#include "inject/core/collector.h"
#include "inject/core/helper_thread.h"
#include "inject/core/sys.h"
#include "inject/runtime/mapped_libraries.h"
#include "inject/runtime/session.h"

namespace syncline {
namespace {

constexpr uint64_t kMaxFlushNs = 1'000'000'000;

bool IsDue(const CollectorDescription& collector, bool recording) {
  switch (collector.start_at) {
    case StartAt::kProcessStart:
      return true;
    case StartAt::kFirstRecord:
      return recording;
    case StartAt::kLibrary:
      return IsMapped(collector.libraries, kMaxLibraries);
  }
  return false;
}

uint32_t BitOf(const CollectorDescription& collector) { return 1u << collector.source; }

bool IsWaiting(const ProcessState* process, const CollectorDescription& collector) {
  return collector.start != nullptr && CollectorEnabled(collector.name) &&
         (process->started.load(std::memory_order_relaxed) & BitOf(collector)) == 0;
}

}  // namespace

void StartCollectorsOfProcess() {
  for (size_t i = 0; i < kCollectorCount; ++i) {
    if (kCollectors[i]->start == nullptr || kCollectors[i]->start_at == StartAt::kFirstRecord)
      continue;
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
    WatchForks();
    collector.start();
  }
}

void StartCollectorsOfLibraries(ProcessState* process) {
  bool waiting = false;
  for (size_t i = 0; i < kCollectorCount; ++i)
    waiting = waiting || (kCollectors[i]->start_at == StartAt::kLibrary &&
                          IsWaiting(process, *kCollectors[i]));
  if (!waiting) return;
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
