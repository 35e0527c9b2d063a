// SPDX-License-Identifier: Apache-2.0
// The settings of a simulated machine with Level Zero devices that the CUDA simulation has not.
#pragma once

#include <cstdint>

namespace simgpu::level_zero {

struct Settings {
  uint32_t sub_devices = 0;             // SIMGPU_ZE_SUBDEVICES, of each device
  uint64_t timer_hz = 19'200'000;       // SIMGPU_ZE_TIMER_HZ: cycles of the device's clock a second
  uint32_t kernel_timestamp_bits = 32;  // SIMGPU_ZE_TIMESTAMP_BITS
  uint32_t timestamp_bits = 36;         // SIMGPU_ZE_GLOBAL_TIMESTAMP_BITS
  uint64_t wrap_ms = 200;  // SIMGPU_ZE_WRAP_MS: when the kernel timestamp of device 0 wraps
  int64_t slew_ppm = 0;    // SIMGPU_ZE_SLEW_PPM: how much faster the device's clock runs
  uint64_t build_ms = 1;   // SIMGPU_ZE_BUILD_MS: host time of building a module
  uint32_t overlap = 1;    // SIMGPU_ZE_OVERLAP: kernels that an engine runs at once

  // Read once. Ends the process with a message if a value makes no sense.
  static const Settings& OfProcess();
};

}  // namespace simgpu::level_zero
