// SPDX-License-Identifier: Apache-2.0
// Choice of the node's clock, and anchors.
#include "inject/core/clock.h"

#include <sys/prctl.h>

#include <cstring>

#include "inject/core/options.h"
#include "inject/core/sys.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace syncline {

ClockId g_clock = ClockId::kMonotonic;
std::atomic<bool> g_clock_calls = false;

namespace {

constexpr int kAnchorTries = 8;

bool KernelTrustsTsc() {
  char source[32];
  ReadSmallFile("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
                sizeof(source));
  return std::strncmp(source, "tsc", 3) == 0;
}

// The words of the option, in its order.
enum class Choice { kAuto, kTsc, kMonotonic, kSystemCall };

Choice Chosen() { return static_cast<Choice>(OptionNumber(OptionIndex("clock"))); }

// A sandbox may forbid rdtsc: it would be a SIGSEGV.
bool TscIsForbidden() {
  int mode = 0;
  return SysCall(SYS_prctl, PR_GET_TSC, AsLong(&mode)) == 0 && mode == PR_TSC_SIGSEGV;
}

bool TscIsInvariantAndAllowed() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x80000007u, &a, &b, &c, &d) == 0 || (d & (1u << 8)) == 0) return false;
  return !TscIsForbidden();
#else
  return false;
#endif
}

uint64_t TicksOf(ClockId clock) {
#if defined(__x86_64__)
  if (clock == ClockId::kTsc) return ReadTsc();
#endif
  return MonotonicNs();
}

}  // namespace

ClockId NodeClock() {
  const Choice chosen = Chosen();
  if (chosen == Choice::kMonotonic || chosen == Choice::kSystemCall) return ClockId::kMonotonic;
  const bool trusted = chosen == Choice::kTsc || KernelTrustsTsc();
  return trusted && TscIsInvariantAndAllowed() ? ClockId::kTsc : ClockId::kMonotonic;
}

void ChooseClockCalls() {
  g_clock_calls.store(Chosen() == Choice::kSystemCall || TscIsForbidden(),
                      std::memory_order_relaxed);
}

Anchor TakeAnchor(ClockId clock) {
  ErrnoKeeper keeper;
  Anchor best = {};
  best.error_ticks = ~uint64_t{0};
  for (int i = 0; i < kAnchorTries; ++i) {
    Anchor anchor;
    const uint64_t before = TicksOf(clock);
    anchor.monotonic_ns = ReadClockNs(CLOCK_MONOTONIC);
    anchor.realtime_ns = ReadClockNs(CLOCK_REALTIME);
    const uint64_t after = TicksOf(clock);
    anchor.monotonic_raw_ns = ReadClockNs(CLOCK_MONOTONIC_RAW);
    anchor.boottime_ns = ReadClockNs(CLOCK_BOOTTIME);
    anchor.error_ticks = (after - before + 1) / 2;
    anchor.ticks = before + (after - before) / 2;
    if (anchor.error_ticks < best.error_ticks) best = anchor;
  }
  return best;
}

bool AreOfOneTime(ClockId clock, const Anchor& earlier, const Anchor& later) {
  constexpr uint64_t kMeasuredNs = 2'000'000, kDoubtNs = 1'000'000'000;  // of a clock that is set
  const uint64_t passed_ns = later.monotonic_ns - earlier.monotonic_ns;
  uint64_t expected_ns = later.realtime_ns - earlier.realtime_ns;
  if (clock == ClockId::kTsc) {
    static double ns_per_tick;
    if (ns_per_tick == 0) {
      const Anchor begin = TakeAnchor(clock);
      SysSleepNs(kMeasuredNs);
      const Anchor end = TakeAnchor(clock);
      ns_per_tick = static_cast<double>(end.monotonic_ns - begin.monotonic_ns) /
                    static_cast<double>(end.ticks - begin.ticks);
    }
    expected_ns =
        static_cast<uint64_t>(static_cast<double>(later.ticks - earlier.ticks) * ns_per_tick);
  }
  const uint64_t apart =
      passed_ns > expected_ns ? passed_ns - expected_ns : expected_ns - passed_ns;
  return apart <= kDoubtNs + expected_ns / 100;
}

}  // namespace syncline
