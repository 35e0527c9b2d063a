// SPDX-License-Identifier: Apache-2.0
// The settings of a simulated machine: the only place where SIMGPU_ variables (but SIMGPU_FAULT)
// are read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simgpu {

struct Settings {
  uint32_t devices = 2;   // SIMGPU_DEVICES
  uint64_t seed = 1;      // SIMGPU_SEED
  double jitter = 0;      // SIMGPU_JITTER: 0.1 lets durations vary by up to 10 % either way
  std::string durations;  // SIMGPU_DURATIONS: '*gemm*=2ms,*=20us'
  std::string truth;      // SIMGPU_TRUTH, %p replaced by the pid
  uint64_t memory_bytes = 80ull << 30;  // SIMGPU_MEMORY_MB, per device
  uint32_t queue_depth = 1024;  // SIMGPU_QUEUE: operations a stream holds before a launch blocks
  uint32_t concurrent_kernels = 128;  // SIMGPU_CONCURRENT_KERNELS, per device
  int driver_version = 13000;         // SIMGPU_DRIVER_VERSION
  bool launch_blocking = false;       // CUDA_LAUNCH_BLOCKING
  bool lazy_loading = true;           // unless CUDA_MODULE_LOADING=EAGER
  std::vector<uint32_t> visible;      // CUDA_VISIBLE_DEVICES: the machine's device of each ordinal

  // The settings in this process's environment, read once. Ends the process with a message if a
  // value makes no sense.
  static const Settings& OfProcess();
  static Settings FromEnvironment();
};

// The number in that variable, `otherwise` where it is not set. Ends the process with a message if
// it is no number from `least` to `most`.
uint64_t NumberSetting(const char* name, uint64_t otherwise, uint64_t least, uint64_t most);
// Ends the process with that message.
[[noreturn]] void RefuseSetting(const char* name, const char* value, const char* wanted);

// The machine's devices in the order of CUDA_VISIBLE_DEVICES: numbers, or UUIDs ("GPU-..."); ends
// at the first that does not exist, as CUDA's does. Null: all.
std::vector<uint32_t> VisibleDevices(const char* text, uint32_t devices);

// "GPU-53696d75-6c61-7465-6420-47505500000N" of the machine's device N.
void DeviceUuid(uint32_t physical, unsigned char uuid[16]);

}  // namespace simgpu
