// SPDX-License-Identifier: Apache-2.0
// NVIDIA's published rules of how registers and shared memory are given to blocks (CUDA programming
// guide, "hardware multithreading", and the occupancy tables per compute capability).
#include "model/devices/occupancy.h"

#include <algorithm>
#include <cmath>
#include <iterator>

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

struct BlocksThatFit {
  uint64_t blocks;
  OccupancyLimit limit;
};

// Of several limits that are alike, the first one.
BlocksThatFit FitOf(const KernelDetails& kernel, const DeviceFacts& device, uint64_t warps) {
  const BlocksThatFit limits[] = {
      {device.threads_per_multiprocessor / device.warp / warps, OccupancyLimit::kThreads},
      {device.blocks_per_multiprocessor, OccupancyLimit::kBlocks},
      {ByRegisters(kernel, device, warps), OccupancyLimit::kRegisters},
      {BySharedMemory(kernel, device), OccupancyLimit::kSharedMemory}};
  return *std::min_element(
      std::begin(limits), std::end(limits),
      [](const BlocksThatFit& a, const BlocksThatFit& b) { return a.blocks < b.blocks; });
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
  const BlocksThatFit fit = FitOf(kernel, device, warps);
  const auto percent = [&](double blocks_at_once) {
    return static_cast<uint32_t>(
        std::lround(100 * blocks_at_once * threads / device.threads_per_multiprocessor));
  };
  const auto fit_blocks = static_cast<double>(fit.blocks);
  result.percent = percent(std::min(fit_blocks, result.blocks_per_multiprocessor));
  result.full_percent = percent(fit_blocks);
  result.limit = fit.limit;
  return result;
}

}  // namespace syncline
