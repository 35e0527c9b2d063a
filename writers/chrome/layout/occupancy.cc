// SPDX-License-Identifier: Apache-2.0
// NVIDIA's published rules of how registers and shared memory are given to blocks (CUDA programming
// guide, "hardware multithreading", and the occupancy tables per compute capability).
#include "writers/chrome/layout/occupancy.h"

#include <algorithm>
#include <cmath>

namespace syncline {
namespace {

constexpr uint64_t kRegisterUnit = 256;  // registers are given to warps in these
constexpr uint64_t kKinetosWarp = 32;    // Kineto's, whatever the device says

uint64_t RoundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

uint64_t ByRegisters(const KernelDetails& kernel, const DeviceFacts& device, uint64_t warps) {
  const uint64_t parts = device.major == 6 && device.minor == 0 ? 2 : 4;
  const uint64_t of_warp = RoundUp(uint64_t{kernel.registers} * device.warp, kRegisterUnit);
  if (of_warp == 0) return UINT64_MAX;
  if (of_warp * RoundUp(warps, parts) > device.registers_per_block) return 0;
  return device.registers_per_multiprocessor / parts / of_warp * parts / warps;
}

uint64_t BySharedMemory(const KernelDetails& kernel, const DeviceFacts& device) {
  const bool newer = device.major >= 8;
  const uint64_t own = newer ? 1024 : 0;  // of each block, the system's
  const uint64_t bytes =
      RoundUp(uint64_t{kernel.static_shared} + kernel.dynamic_shared + own, newer ? 128 : 256);
  return bytes == 0 ? UINT64_MAX : device.shared_per_multiprocessor / bytes;
}

uint64_t BlocksThatFit(const KernelDetails& kernel, const DeviceFacts& device, uint64_t warps) {
  const uint64_t by_warps = device.threads_per_multiprocessor / device.warp / warps;
  return std::min({by_warps, uint64_t{device.blocks_per_multiprocessor},
                   ByRegisters(kernel, device, warps), BySharedMemory(kernel, device)});
}

}  // namespace

std::optional<Occupancy> OccupancyOf(const KernelDetails& kernel, const DeviceFacts& device) {
  if (device.multiprocessors == 0) return {};
  const double blocks = double(kernel.grid[0]) * kernel.grid[1] * kernel.grid[2];
  const double threads = double(kernel.block[0]) * kernel.block[1] * kernel.block[2];
  Occupancy result;
  result.blocks_per_multiprocessor = blocks / device.multiprocessors;
  result.warps_per_multiprocessor = result.blocks_per_multiprocessor * threads / kKinetosWarp;
  const bool known = device.warp != 0 && device.threads_per_multiprocessor != 0 &&
                     device.blocks_per_multiprocessor != 0 && device.registers_per_block != 0 &&
                     device.registers_per_multiprocessor != 0 &&
                     device.shared_per_multiprocessor != 0;
  // More threads than a block can have are of a damaged record.
  if (!known || threads < 1 || threads > device.threads_per_multiprocessor) return result;
  const auto warps = static_cast<uint64_t>(std::ceil(threads / device.warp));
  const double fit = static_cast<double>(BlocksThatFit(kernel, device, warps));
  const double at_once = std::min(fit, result.blocks_per_multiprocessor);
  result.percent = static_cast<uint32_t>(
      std::lround(100 * at_once * threads / device.threads_per_multiprocessor));
  return result;
}

}  // namespace syncline
