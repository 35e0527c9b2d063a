// SPDX-License-Identifier: Apache-2.0
// One futex word says that the last flush is wanted, a second one that it is done.
#include "collectors/cuda/flush_thread.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <ctime>

#include "collectors/cuda/activity_records.h"
#include "collectors/cuda/api_calls.h"
#include "collectors/cuda/device_clock.h"
#include "inject/core/clock.h"
#include "inject/core/emit.h"
#include "inject/core/sys.h"

namespace syncline::cuda {
namespace {

constexpr uint64_t kPeriodNs = 1'000'000'000;
constexpr uint64_t kRetryNs = 500'000;
constexpr uint64_t kQuietNs = 20'000'000;
constexpr uint64_t kMaxWaitNs = 1'000'000'000;  // at exit

const Cupti* g_cupti;
std::atomic<bool> g_running;
std::atomic<uint32_t> g_asked;
std::atomic<uint32_t> g_done;

void WaitWhile(std::atomic<uint32_t>* word, uint32_t value, uint64_t ns) {
  const timespec time = {static_cast<time_t>(ns / 1'000'000'000),
                         static_cast<long>(ns % 1'000'000'000)};
  SysCall(SYS_futex, AsLong(word), FUTEX_WAIT_PRIVATE, static_cast<long>(value), AsLong(&time));
}

void Wake(std::atomic<uint32_t>* word) {
  SysCall(SYS_futex, AsLong(word), FUTEX_WAKE_PRIVATE, INT32_MAX);
}

// FlushAll(0) holds back a buffer in which one operation has no end yet, and CUPTI learns of ends a
// little after the program does. So at exit it is asked until the last launch is there, or nothing
// comes any more; then for buffers with unfinished operations too. That never waits for the device.
void FlushFinally() {
  uint64_t last_change = MonotonicNs();
  Delivered before = DeliveredSoFar();
  for (;;) {
    g_cupti->cuptiActivityFlushAll(0);
    const Delivered now = DeliveredSoFar();
    const uint64_t time = MonotonicNs();
    if (now.correlation >= LastLaunch()) break;
    if (now.operations != before.operations) last_change = time;
    if (time - last_change > kQuietNs) break;
    before = now;
    SysSleepNs(kRetryNs);
  }
  g_cupti->cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

void* Run(void*) {
  pthread_setname_np(pthread_self(), "syncline-cuda");
  while (g_asked.load(std::memory_order_acquire) == 0) {
    RecordDeviceClock();
    g_cupti->cuptiActivityFlushAll(0);
    WaitWhile(&g_asked, 0, kPeriodNs);
  }
  RecordDeviceClock();
  FlushFinally();
  RecordDeviceClock();
  // Release: pairs with FlushForTheLastTime's acquire; the records are in our ring.
  g_done.store(1, std::memory_order_release);
  Wake(&g_done);
  return nullptr;
}

}  // namespace

bool StartFlushing(const Cupti& cupti) {
  g_cupti = &cupti;
  SignalBlocker all_signals;  // the thread inherits the mask
  pthread_t thread;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const bool started = pthread_create(&thread, &attributes, Run, nullptr) == 0;
  pthread_attr_destroy(&attributes);
  g_running.store(started, std::memory_order_release);
  return started;
}

void FlushForTheLastTime() {
  if (!g_running.exchange(false, std::memory_order_acq_rel)) return;
  CountLaunchesAsLost();
  g_asked.store(1, std::memory_order_release);
  Wake(&g_asked);
  const uint64_t until = MonotonicNs() + kMaxWaitNs;
  while (g_done.load(std::memory_order_acquire) == 0) {
    const uint64_t now = MonotonicNs();
    if (now >= until) return CountLoss(kLoss_cupti_flush);
    WaitWhile(&g_done, 0, until - now);
  }
}

void ForgetFlushing() { g_running.store(false, std::memory_order_release); }

}  // namespace syncline::cuda
