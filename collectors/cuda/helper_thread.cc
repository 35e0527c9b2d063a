// SPDX-License-Identifier: Apache-2.0
// The bell is a counter, so that one that rings during a visit is not lost.
#include "collectors/cuda/helper_thread.h"

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "inject/core/futex.h"
#include "inject/core/own_thread.h"
#include "inject/core/sys.h"

namespace syncline::cuda {
namespace {

constexpr uint64_t kPeriodNs = 1'000'000'000;

std::atomic<bool (*)()> g_visit;
std::atomic<int32_t> g_runs_in;  // pid; a raw fork's child inherits the number, not the thread
std::atomic<uint32_t> g_bell;

constexpr size_t kStackBytes = 2 << 20;  // CUPTI and the driver run on it
constexpr size_t kGuardBytes = 4096;

void* Run(void*) {
  UnlockOwnStack(kStackBytes);
  pthread_setname_np(pthread_self(), "syncline-cuda");
  for (;;) {
    // Acquire: pairs with RingBell's release; what was asked for before the bell is seen.
    const uint32_t heard = g_bell.load(std::memory_order_acquire);
    if (!g_visit.load(std::memory_order_acquire)()) break;
    WaitWhile(&g_bell, heard, kPeriodNs);
  }
  g_runs_in.store(0, std::memory_order_release);
  return nullptr;
}

}  // namespace

bool StartHelper(bool (*visit)()) {
  g_visit.store(visit, std::memory_order_release);
  // Before the thread, which may end at once.
  g_runs_in.store(SysPid(), std::memory_order_release);
  const bool started = StartOwnThread(Run, nullptr, kStackBytes, kGuardBytes);
  if (!started) g_runs_in.store(0, std::memory_order_release);
  return started;
}

void RingBell() {
  g_bell.fetch_add(1, std::memory_order_release);
  WakeAll(&g_bell);
}

bool HelperRuns() { return g_runs_in.load(std::memory_order_acquire) == SysPid(); }

void ForgetHelper() { g_runs_in.store(0, std::memory_order_release); }

}  // namespace syncline::cuda
