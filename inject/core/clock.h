// SPDX-License-Identifier: Apache-2.0
// The one clock of records: raw ticks, and the anchors that tie them to the system's clocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

#include "inject/core/segment.h"
#include "inject/core/sys.h"

namespace syncline {

// Which clock this node's processes use: what the option `clock` says, by default the TSC where the
// kernel itself trusts it (its clocksource is "tsc") and the CPU says that it is invariant, else
// CLOCK_MONOTONIC. The node decides, not the process. Reads /sys once.
ClockId NodeClock();

// Reads the clocks by system calls from now on where rdtsc is forbidden (PR_SET_TSC), or will be
// (`--clock syscall`): the vDSO's clock_gettime would be a SIGSEGV too. Call it before MonotonicNs.
void ChooseClockCalls();

// Set once before the first record, constant afterwards.
extern __attribute__((visibility("hidden"))) ClockId g_clock;  // hidden: read without the GOT

// Whether ChooseClockCalls chose system calls. Relaxed: the threads that begin at once each store
// the same answer, and each stores it before it reads a clock.
extern __attribute__((visibility("hidden"))) std::atomic<bool> g_clock_calls;

inline uint64_t ReadClockNs(clockid_t id) {
  timespec t;
  if (__builtin_expect(g_clock_calls.load(std::memory_order_relaxed), 0)) {
    SysCall(SYS_clock_gettime, id, AsLong(&t));
  } else {
    clock_gettime(id, &t);
  }
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

inline uint64_t MonotonicNs() { return ReadClockNs(CLOCK_MONOTONIC); }

#if defined(__x86_64__)
// The compiler's own name for __rdtsc: the header that has that one takes half a second in each
// file.
inline uint64_t ReadTsc() { return __builtin_ia32_rdtsc(); }
#endif

// The time stamp of records. No fence: a stamp may move by some nanoseconds against its neighbours.
// The seam for aarch64 (cntvct_el0) is here.
inline uint64_t Ticks() {
#if defined(__x86_64__)
  if (__builtin_expect(g_clock == ClockId::kTsc, 1)) return ReadTsc();
#endif
  return MonotonicNs();
}

// Reads all clocks, several times, and returns the reading with the least distance. About 2 us.
// Keeps errno.
Anchor TakeAnchor(ClockId clock);

// Whether both anchors read the same MONOTONIC: not of another time namespace, nor through a
// library that changes what programs read (faketime). `earlier` and `later` are of one machine. The
// first call of a process for time stamp counters takes 2 ms. Not in hooks.
bool AreOfOneTime(ClockId clock, const Anchor& earlier, const Anchor& later);

}  // namespace syncline
