// SPDX-License-Identifier: Apache-2.0
// The numbers of a simulated device.
#include "tests/simulated_gpu/engine/device_facts.h"

#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/simulated_gpu/engine/faults.h"
#include "tests/simulated_gpu/engine/settings.h"

namespace simgpu {
namespace {

constexpr int kThreads = 2048, kBlocks = 32, kShared = 233472, kReservedShared = 1024;

struct Fact {
  int attribute;
  int value;
};

#define FACT(name, value) \
  { CU_DEVICE_ATTRIBUTE_##name, value }
constexpr Fact kFacts[] = {
    FACT(MAX_THREADS_PER_BLOCK, 1024),
    FACT(MAX_BLOCK_DIM_X, 1024),
    FACT(MAX_BLOCK_DIM_Y, 1024),
    FACT(MAX_BLOCK_DIM_Z, 64),
    FACT(MAX_GRID_DIM_X, 2147483647),
    FACT(MAX_GRID_DIM_Y, 65535),
    FACT(MAX_GRID_DIM_Z, 65535),
    FACT(MAX_SHARED_MEMORY_PER_BLOCK, 49152),
    FACT(TOTAL_CONSTANT_MEMORY, 65536),
    FACT(WARP_SIZE, 32),
    FACT(MAX_PITCH, 2147483647),
    FACT(MAX_REGISTERS_PER_BLOCK, 65536),
    FACT(CLOCK_RATE, 1785000),
    FACT(TEXTURE_ALIGNMENT, 512),
    FACT(GPU_OVERLAP, 1),
    FACT(MULTIPROCESSOR_COUNT, 132),
    FACT(CAN_MAP_HOST_MEMORY, 1),
    FACT(CONCURRENT_KERNELS, 1),
    FACT(TEXTURE_PITCH_ALIGNMENT, 32),
    FACT(SURFACE_ALIGNMENT, 512),
    FACT(MEMORY_CLOCK_RATE, 2619000),
    FACT(GLOBAL_MEMORY_BUS_WIDTH, 5120),
    FACT(L2_CACHE_SIZE, 52428800),
    FACT(MAX_THREADS_PER_MULTIPROCESSOR, kThreads),
    FACT(ASYNC_ENGINE_COUNT, 3),
    FACT(UNIFIED_ADDRESSING, 1),
    FACT(COMPUTE_CAPABILITY_MAJOR, 9),
    FACT(COMPUTE_CAPABILITY_MINOR, 0),
    FACT(STREAM_PRIORITIES_SUPPORTED, 1),
    FACT(GLOBAL_L1_CACHE_SUPPORTED, 1),
    FACT(LOCAL_L1_CACHE_SUPPORTED, 1),
    FACT(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, kShared),
    FACT(MAX_REGISTERS_PER_MULTIPROCESSOR, 65536),
    FACT(MANAGED_MEMORY, 1),
    FACT(HOST_NATIVE_ATOMIC_SUPPORTED, 0),
    FACT(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 2),
    FACT(PAGEABLE_MEMORY_ACCESS, 0),
    FACT(CONCURRENT_MANAGED_ACCESS, 1),
    FACT(COMPUTE_PREEMPTION_SUPPORTED, 1),
    FACT(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1),
    FACT(COOPERATIVE_LAUNCH, 1),
    FACT(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448),
    FACT(HOST_REGISTER_SUPPORTED, 1),
    FACT(MAX_BLOCKS_PER_MULTIPROCESSOR, kBlocks),
    FACT(MAX_PERSISTING_L2_CACHE_SIZE, 32768000),
    FACT(MAX_ACCESS_POLICY_WINDOW_SIZE, 134213632),
    FACT(RESERVED_SHARED_MEMORY_PER_BLOCK, kReservedShared),
    FACT(MEMORY_POOLS_SUPPORTED, 1),
    FACT(VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1),
    FACT(HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 1),
    FACT(IPC_EVENT_SUPPORTED, 1),
    FACT(CLUSTER_LAUNCH, 1),
};
#undef FACT

}  // namespace

bool DeviceAttribute(int attribute, const Device& device, int* value) {
  if (attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX) return false;
  *value = 0;
  if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) *value = static_cast<int>(device.physical) + 1;
  for (const Fact& fact : kFacts) {
    if (fact.attribute == attribute) *value = fact.value;
  }
  return true;
}

uint64_t DeviceMemoryBytes() { return Settings::OfProcess().memory_bytes; }

int BlocksPerMultiprocessor(int threads, uint64_t shared) {
  if (threads <= 0 || threads > 1024) return 0;
  const int warps_of_threads = (threads + 31) / 32 * 32;
  const int by_threads = std::min(kBlocks, kThreads / warps_of_threads);
  return std::min(by_threads, static_cast<int>(kShared / (shared + kReservedShared)));
}

uint64_t SharedPerBlock(int blocks) {
  return static_cast<uint64_t>(kShared / blocks - kReservedShared);
}

}  // namespace simgpu

using simgpu::Device;

SIMGPU_EXPORT uint32_t simgpu_device_count() {
  return static_cast<uint32_t>(simgpu::Devices().size());
}

SIMGPU_EXPORT bool simgpu_device_info(uint32_t ordinal, simgpu::DeviceInfo* info) {
  const Device* device = simgpu::DeviceAt(ordinal);
  if (device == nullptr) return false;
  const auto get = [&](CUdevice_attribute attribute) {
    int value = 0;
    simgpu::DeviceAttribute(attribute, *device, &value);
    return static_cast<uint32_t>(value);
  };
  *info = simgpu::DeviceInfo{};
  info->ordinal = ordinal;
  std::snprintf(info->name, sizeof info->name, "%s", simgpu::DeviceName());
  simgpu::DeviceUuid(device->physical, info->uuid);
  info->total_memory = simgpu::DeviceMemoryBytes();
  info->memory_bandwidth_kb_s = 3352000000ull;
  info->compute_major = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  info->compute_minor = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info->multiprocessors = get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info->core_clock_khz = get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  info->l2_bytes = get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  info->constant_bytes = get(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
  info->warps_per_multiprocessor = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / 32;
  info->blocks_per_multiprocessor = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  info->threads_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info->registers_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  info->shared_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  info->shared_per_multiprocessor = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  info->registers_per_multiprocessor = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  info->memory_bus_bits = get(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  info->pci_bus = get(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
  return true;
}
