// SPDX-License-Identifier: Apache-2.0
// The clocks of devices: cycles that follow CLOCK_MONOTONIC_RAW, as Intel's driver's host time
// does, and the way from CLOCK_MONOTONIC, in which the engine counts, to them.
#pragma once

#include <cstdint>

namespace simgpu::level_zero {

// The cycle counter of one device at times of CLOCK_MONOTONIC_RAW.
class CycleCounter {
 public:
  // The low `wrap_bits` bits are 0 at `wrap_ns`; the counter runs `slew_ppm` faster than `hz` says.
  CycleCounter(uint64_t hz, int64_t slew_ppm, uint32_t wrap_bits, uint64_t wrap_ns);
  uint64_t At(uint64_t raw_ns) const;

 private:
  double cycles_per_ns_;
  uint64_t wrap_ns_, at_wrap_;
};

uint64_t RawNow();
// CLOCK_MONOTONIC_RAW at a time of CLOCK_MONOTONIC that is not in the future. Any thread.
uint64_t RawAt(uint64_t monotonic_ns);

// Of the process's devices.
uint64_t DeviceCycles(uint32_t device, uint64_t raw_ns);
uint64_t MaskTo(uint64_t cycles, uint32_t bits);
void StartClocks();  // as early as possible: the wrap is counted from there

}  // namespace simgpu::level_zero
