// SPDX-License-Identifier: Apache-2.0
// NVML, as much as PyTorch and vLLM ask it for: an allocator with expandable segments wants to know
// of a fabric, one without memory of other processes; vLLM which devices there are. Not `nvmlInit`,
// by which PyTorch would count the devices: CUDA counts them.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "tests/simulated_gpu/engine/device_facts.h"
#include "tests/simulated_gpu/engine/settings.h"

namespace {

constexpr int kSuccess = 0, kInvalidArgument = 2, kNotSupported = 3, kNotFound = 6;
constexpr int kMostDevices = 64;

// A device's handle is the place of its number.
char g_devices[kMostDevices];

unsigned Devices() { return simgpu::Settings::OfProcess().devices; }

unsigned NumberOf(const void* device) {
  return static_cast<unsigned>(static_cast<const char*>(device) - g_devices);
}

void WriteUuid(unsigned number, char* text, size_t room) {
  unsigned char uuid[16];
  simgpu::DeviceUuid(number, uuid);
  char digits[33];
  for (size_t i = 0; i < sizeof uuid; ++i) std::snprintf(digits + 2 * i, 3, "%02x", uuid[i]);
  std::snprintf(text, room, "GPU-%.8s-%.4s-%.4s-%.4s-%.12s", digits, digits + 8, digits + 12,
                digits + 16, digits + 20);
}

struct MemoryInfo {
  unsigned long long total, free, used;
};

// As in nvml.h.
struct FabricInfo {
  unsigned version;
  unsigned char cluster[16];
  int status;
  unsigned clique;
  unsigned char state;  // 0: not supported
};

}  // namespace

#define SIMGPU_NVML extern "C" __attribute__((visibility("default"))) int

SIMGPU_NVML nvmlInit_v2() { return kSuccess; }

SIMGPU_NVML nvmlDeviceGetHandleByPciBusId_v2(const char* /*bus_id*/, void** device) {
  *device = g_devices;
  return kSuccess;
}

SIMGPU_NVML nvmlInitWithFlags(unsigned /*flags*/) { return kSuccess; }
SIMGPU_NVML nvmlShutdown() { return kSuccess; }

SIMGPU_NVML nvmlDeviceGetCount_v2(unsigned* count) {
  *count = Devices();
  return kSuccess;
}

SIMGPU_NVML nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index >= Devices()) return kInvalidArgument;
  *device = g_devices + index;
  return kSuccess;
}

SIMGPU_NVML nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  for (unsigned number = 0; number < Devices(); ++number) {
    char text[64];
    WriteUuid(number, text, sizeof text);
    if (std::strcmp(text, uuid) != 0) continue;
    *device = g_devices + number;
    return kSuccess;
  }
  return kNotFound;
}

SIMGPU_NVML nvmlDeviceGetIndex(void* device, unsigned* index) {
  *index = NumberOf(device);
  return kSuccess;
}

SIMGPU_NVML nvmlDeviceGetName(void* /*device*/, char* name, unsigned room) {
  std::snprintf(name, room, "%s", simgpu::DeviceName());
  return kSuccess;
}

SIMGPU_NVML nvmlDeviceGetUUID(void* device, char* uuid, unsigned room) {
  WriteUuid(NumberOf(device), uuid, room);
  return kSuccess;
}

SIMGPU_NVML nvmlDeviceGetCudaComputeCapability(void* /*device*/, int* major, int* minor) {
  *major = 9;
  *minor = 0;
  return kSuccess;
}

// What other processes have is not known.
SIMGPU_NVML nvmlDeviceGetMemoryInfo(void* /*device*/, MemoryInfo* info) {
  const unsigned long long bytes = simgpu::Settings::OfProcess().memory_bytes;
  *info = {bytes, bytes, 0};
  return kSuccess;
}

SIMGPU_NVML nvmlDeviceGetP2PStatus(void* /*one*/, void* /*other*/, int /*what*/, int* status) {
  *status = 0;  // each reaches each
  return kSuccess;
}

SIMGPU_NVML nvmlDeviceGetGpuFabricInfoV(void* /*device*/, FabricInfo* info) {
  info->state = 0;
  return kSuccess;
}

SIMGPU_NVML nvmlDeviceGetComputeRunningProcesses(void* /*device*/, unsigned* count, void* /*of*/) {
  *count = 0;
  return kSuccess;
}

SIMGPU_NVML nvmlDeviceGetNvLinkRemoteDeviceType(void* /*device*/, unsigned /*link*/,
                                                int* /*type*/) {
  return kNotSupported;
}

SIMGPU_NVML nvmlDeviceGetNvLinkRemotePciInfo_v2(void* /*device*/, unsigned /*link*/,
                                                void* /*pci*/) {
  return kNotSupported;
}

SIMGPU_NVML nvmlSystemGetCudaDriverVersion_v2(int* /*version*/) { return kNotSupported; }
