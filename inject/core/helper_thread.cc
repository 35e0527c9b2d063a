// SPDX-License-Identifier: Apache-2.0
// The bell is a counter, so that one that rings during a visit is not lost.
#include "inject/core/helper_thread.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "inject/core/futex.h"
#include "inject/core/own_thread.h"
#include "inject/core/sys.h"

namespace syncline {
namespace {

constexpr size_t kStackBytes = 2 << 20;  // a vendor's library runs on it
constexpr size_t kGuardBytes = 4096;

struct Helper {
  std::atomic<uint64_t (*)()> visit;
  std::atomic<const char*> name;
  std::atomic<int32_t> runs_in;  // pid; a raw fork's child inherits the number, not the thread
  std::atomic<uint32_t> bell;
};

Helper g_helpers[kMaxSources];
std::atomic<bool> g_ending;

void Sleep(const Helper& helper, uint32_t heard, uint64_t ns) {
  if (!MustLookForEnd()) {
    WaitWhile(&helper.bell, heard, ns);
    return;
  }
  while (ns != 0 && helper.bell.load(std::memory_order_relaxed) == heard) {
    const uint64_t part = std::min(ns, kLookForEndEveryNs);
    WaitWhile(&helper.bell, heard, part);
    EndProcessIfLast();
    ns -= part;
  }
}

void* Run(void* argument) {
  auto& helper = *static_cast<Helper*>(argument);
  pthread_setname_np(pthread_self(), helper.name.load(std::memory_order_relaxed));
  for (;;) {
    // Acquire: pairs with WakeHelper's release; what was asked for before the bell is seen.
    const uint32_t heard = helper.bell.load(std::memory_order_acquire);
    if (g_ending.load(std::memory_order_acquire)) break;
    const uint64_t next = helper.visit.load(std::memory_order_acquire)();
    if (next == kNeverAgain) break;
    Sleep(helper, heard, next);
  }
  helper.runs_in.store(0, std::memory_order_release);
  return nullptr;
}

}  // namespace

bool StartHelper(Source source, const char* name, uint64_t (*visit)()) {
  Helper& helper = g_helpers[source];
  // Before the thread, which may end at once.
  const int32_t self = SysPid();
  if (helper.runs_in.exchange(self, std::memory_order_acq_rel) == self) return false;
  helper.visit.store(visit, std::memory_order_release);
  helper.name.store(name, std::memory_order_relaxed);
  const bool started = StartOwnThread(Run, &helper, kStackBytes, kGuardBytes);
  if (!started) helper.runs_in.store(0, std::memory_order_release);
  return started;
}

void WakeHelper(Source source) {
  g_helpers[source].bell.fetch_add(1, std::memory_order_release);
  WakeAll(&g_helpers[source].bell);
}

bool HelperRuns(Source source) {
  return g_helpers[source].runs_in.load(std::memory_order_acquire) == SysPid();
}

void EndHelpers() {
  g_ending.store(true, std::memory_order_release);
  for (Source source = 1; source < kMaxSources; ++source) {
    if (HelperRuns(source)) WakeHelper(source);
  }
}

void ForgetHelpers() {
  ForgetOwnThreads();
  g_ending.store(false, std::memory_order_relaxed);
  for (Helper& helper : g_helpers) helper.runs_in.store(0, std::memory_order_release);
}

}  // namespace syncline
