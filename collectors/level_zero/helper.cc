// SPDX-License-Identifier: Apache-2.0
// The thread that reads, and the end of the process.
#include "collectors/level_zero/helper.h"

#include <atomic>

#include "collectors/level_zero/appends.h"
#include "collectors/level_zero/devices.h"
#include "collectors/level_zero/level_zero_source.h"
#include "collectors/level_zero/objects.h"
#include "collectors/level_zero/operations.h"
#include "collectors/level_zero/passed_by.h"
#include "collectors/level_zero/tables_watch.h"
#include "inject/core/helper_thread.h"
#include "inject/core/sys.h"

// Weak, because musl lacks it; not atexit, whose C++ part would come into the library.
extern "C" __attribute__((weak)) int on_exit(void (*)(int, void*), void*) noexcept;

namespace syncline::level_zero {
namespace {

constexpr uint64_t kClockPeriodNs = 300'000'000;
constexpr uint64_t kReadEveryNs = 100'000'000;     // while there is work
constexpr uint64_t kWatchEveryNs = 1'000'000'000;  // for the tables' sake
constexpr uint64_t kPauseNs = 100'000;
constexpr uint64_t kMostNs = 1'000'000'000;

std::atomic<bool> g_started;
std::atomic<bool> g_forked;
std::atomic<bool> g_ended;
std::atomic<bool> g_visiting;  // the helper is at work, perhaps inside a call of the driver
std::atomic<uint64_t> g_clocks_read_ns;

void Work() {
  if (!WatchTables()) return;
  const uint64_t now = MonotonicNs();
  if (now - g_clocks_read_ns.load(std::memory_order_relaxed) >= kClockPeriodNs) {
    ReadDeviceClocks();
    g_clocks_read_ns.store(now, std::memory_order_relaxed);
  }
  ReadFinished();
}

// Sequentially consistent, as in Flush: one of the two sees the other.
uint64_t Visit() {
  g_visiting.store(true);
  const bool on = !g_ended.load();
  if (on) Work();
  g_visiting.store(false);
  if (!on) return kNeverAgain;
  return AwaitsBell() ? kWatchEveryNs : kReadEveryNs;
}

// Registered when the driver was there: called before the driver's own end, after which nothing of
// it may be called.
void AtExit(int, void*) { Flush(MonotonicNs() + kMostNs); }

}  // namespace

void EnsureHelper() {
  if (g_started.exchange(true, std::memory_order_relaxed)) return;
  const ErrnoKeeper keeper;
  ReadDeviceClocks();
  if (on_exit != nullptr) (void)on_exit(AtExit, nullptr);
  StartHelper(kSource, "syncline-ze", Visit);
}

// Nothing is waited for but another thread that reads at this moment: the program ends when it
// would have ended.
void Flush(uint64_t until_ns) {
  if (g_version.load(std::memory_order_relaxed) == 0) return TellIfPassedBy();
  if (!g_started.load(std::memory_order_relaxed) || g_forked.load(std::memory_order_relaxed) ||
      g_ended.exchange(true)) {
    return;
  }
  while (g_visiting.load() && MonotonicNs() < until_ns) SysSleepNs(kPauseNs);
  // A helper that is still inside the driver is not joined there.
  const bool seen = !g_visiting.load() && WatchTables();
  ReadProgramsEvents(until_ns);
  while (!EndReading()) {
    if (MonotonicNs() >= until_ns) break;
    SysSleepNs(kPauseNs);
  }
  CountUnread();
  if (seen)
    ReadDeviceClocks();  // how fast the devices' clocks ran is known from the first and the last
                         // reading
}

void ForgetParent() {
  ForgetSharedClock();
  if (g_started.load(std::memory_order_relaxed)) g_forked.store(true, std::memory_order_relaxed);
}

}  // namespace syncline::level_zero
