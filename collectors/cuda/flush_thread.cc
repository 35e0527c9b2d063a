// SPDX-License-Identifier: Apache-2.0
// A futex word counts what was asked for; a second one what was done.
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
  for (;;) {
    const uint32_t asked = g_asked.load(std::memory_order_acquire);
    RecordDeviceClock();
    if (asked == 0) {
      g_cupti->cuptiActivityFlushAll(0);
    } else {
      FlushFinally();
    }
    RecordDeviceClock();
    // Release: pairs with FlushNow's acquire; the records are in our ring.
    g_done.store(asked, std::memory_order_release);
    Wake(&g_done);
    WaitWhile(&g_asked, asked, kPeriodNs);
  }
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

void FlushNow() {
  if (!g_running.load(std::memory_order_acquire)) return;
  CountLaunchesAsLost();
  // A round that is under way read an older number: only one that begins from now on answers.
  const uint32_t wanted = g_asked.fetch_add(1, std::memory_order_acq_rel) + 1;
  Wake(&g_asked);
  const uint64_t until = MonotonicNs() + kMaxWaitNs;
  for (;;) {
    const uint32_t done = g_done.load(std::memory_order_acquire);
    if (static_cast<int32_t>(done - wanted) >= 0) return;
    const uint64_t now = MonotonicNs();
    if (now >= until) return CountLoss(kLoss_cupti_flush);
    WaitWhile(&g_done, done, until - now);
  }
}

void ForgetFlushing() { g_running.store(false, std::memory_order_release); }

}  // namespace syncline::cuda
