// SPDX-License-Identifier: Apache-2.0
// A launch pays nothing for it: who asks us for CUPTI's first buffer wakes the helper, and where
// the helper comes seldom, the next call does.
#include "collectors/cuda/fetching.h"

#include <algorithm>
#include <atomic>

#include "collectors/cuda/activity_records.h"
#include "collectors/cuda/cuda_source.h"
#include "collectors/cuda/device_addresses.h"
#include "collectors/cuda/device_clock.h"
#include "collectors/cuda/subscription.h"
#include "inject/core/helper_thread.h"

namespace syncline::cuda {
namespace {

constexpr uint64_t kFirstNs = 10'000'000;    // for programs that live no longer, then twice as long
constexpr uint64_t kPeriodNs = 100'000'000;  // up to this
constexpr uint64_t kSeldomNs = 1'000'000'000;
constexpr uint64_t kPatienceNs =
    10'000'000'000;  // after which a buffer without news is seldom asked for
constexpr uint64_t kClockNs = 1'000'000'000;

std::atomic<uint32_t> g_out;       // buffers that CUPTI has
std::atomic<bool> g_rests{false};  // the helper waits for the first of them

// Of the helper thread.
uint64_t g_period_ns = kFirstNs;
uint64_t g_due_ns, g_clock_ns, g_news_ns;
bool g_rested = true;

// Sequentially consistent, as in BufferGoesOut: of the two who write and then look, one sees the
// other.
bool Rests() {
  g_rests.store(true);
  g_rested = g_out.load() == 0;
  if (!g_rested) g_rests.store(false);
  return g_rested;
}

// Nothing came for long: what is in the buffer may last for hours. A call may have new work put
// behind that, or have waited for it.
bool CallCame() { return g_period_ns == kSeldomNs && !g_calls.WakesHelperAtCall(); }

void Ask(uint64_t now) {
  if (now - g_clock_ns >= kClockNs) {
    RecordDeviceClock();
    g_clock_ns = now;
  }
  RecordAddresses();
  const uint64_t before = DeliveredSoFar().operations;
  FlushSome();
  if (DeliveredSoFar().operations != before) g_news_ns = now;
}

}  // namespace

void BufferGoesOut() {
  g_out.fetch_add(1);
  if (g_rests.load() && g_rests.exchange(false)) WakeHelper(kSource);
}

void BufferIsBack() { g_out.fetch_sub(1); }

// A buffer that has just gone out has nothing in it that is finished. One visit without any comes
// before the helper rests, so that a busy program need not wake it.
uint64_t FetchFinished(uint64_t now) {
  if (g_rested || CallCame()) {
    g_rested = false;
    g_news_ns = now;
    g_period_ns = std::min(g_period_ns, kPeriodNs);
    g_due_ns = now + g_period_ns;
  }
  if (now < g_due_ns) return g_due_ns - now;
  if (g_out.load() == 0 && Rests()) return kAtTheBell;
  const bool seldom = now - g_news_ns > kPatienceNs;
  if (seldom) g_calls.WakeHelperAtCall();  // before it asks: a call after that has it ask again
  Ask(now);
  g_period_ns = seldom && g_news_ns != now ? kSeldomNs : std::min(2 * g_period_ns, kPeriodNs);
  g_due_ns = now + g_period_ns;
  return g_period_ns;
}

}  // namespace syncline::cuda
