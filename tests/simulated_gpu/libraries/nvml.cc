// SPDX-License-Identifier: Apache-2.0
// NVML, as much as PyTorch asks it for: an allocator with expandable segments wants to know of a
// fabric, one without memory of other processes. Not `nvmlInit`, by which Python would count the
// devices: CUDA counts them.
namespace {

constexpr int kSuccess = 0, kNotSupported = 3;

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
  static char any;
  *device = &any;
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
