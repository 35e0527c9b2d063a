// SPDX-License-Identifier: Apache-2.0
// Devices, sub-devices and what they say of themselves.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/simulated_gpu/engine/settings.h"
#include "tests/simulated_gpu/level_zero/call.h"
#include "tests/simulated_gpu/level_zero/device_clock.h"
#include "tests/simulated_gpu/level_zero/objects.h"
#include "tests/simulated_gpu/level_zero/settings.h"
#include "tests/simulated_gpu/level_zero/truth_lines.h"

namespace simgpu::level_zero {
namespace {

std::shared_ptr<Device> FindDevice(ze_device_handle_t handle) {
  EngineLock lock(EngineMutex());
  return Find<Device>(handle);
}

ze_result_t GiveDevices(const std::vector<Device*>& devices, uint32_t* count,
                        ze_device_handle_t* handles) {
  if (count == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  const auto all = static_cast<uint32_t>(devices.size());
  const uint32_t asked = *count == 0 ? all : std::min(*count, all);
  if (*count > 0 && handles != nullptr) {
    for (uint32_t i = 0; i < asked; ++i)
      handles[i] = static_cast<ze_device_handle_t>(devices[i]->handle);
  }
  *count = asked;
  return ZE_RESULT_SUCCESS;
}

// A structure of properties without the header that every one of them begins with.
template <class T>
void Clear(T* properties) {
  const ze_structure_type_t type = properties->stype;
  void* const next = properties->pNext;
  *properties = {};
  properties->stype = type;
  properties->pNext = next;
}

void DescribeTimer(ze_device_properties_t* properties) {
  const Settings& settings = Settings::OfProcess();
  // Of the older structure it is nanoseconds per cycle, whole ones.
  const bool cycles = properties->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
  properties->timerResolution = cycles ? settings.timer_hz : 1'000'000'000 / settings.timer_hz;
  properties->timestampValidBits = settings.timestamp_bits;
  properties->kernelTimestampValidBits = settings.kernel_timestamp_bits;
}

}  // namespace

ze_result_t ZE_APICALL zeDeviceGet(ze_driver_handle_t, uint32_t* count,
                                   ze_device_handle_t* handles) {
  SIMGPU_ZE_ENTER();
  return GiveDevices(Devices(), count, handles);
}

ze_result_t ZE_APICALL zeDeviceGetSubDevices(ze_device_handle_t handle, uint32_t* count,
                                             ze_device_handle_t* handles) {
  SIMGPU_ZE_ENTER();
  const auto device = FindDevice(handle);
  if (device == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  return GiveDevices(device->sub_devices, count, handles);
}

ze_result_t ZE_APICALL zeDeviceGetProperties(ze_device_handle_t handle,
                                             ze_device_properties_t* properties) {
  SIMGPU_ZE_ENTER();
  const auto device = FindDevice(handle);
  if (device == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (properties == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  Clear(properties);
  properties->type = ZE_DEVICE_TYPE_GPU;
  properties->vendorId = 0x8086;
  properties->deviceId = 0xffff;  // of no product
  properties->coreClockRate = 1600;
  properties->maxMemAllocSize = simgpu::Settings::OfProcess().memory_bytes;
  properties->maxHardwareContexts = 1024;
  properties->numThreadsPerEU = 8;
  properties->physicalEUSimdWidth = 16;
  properties->numEUsPerSubslice = 8;
  properties->numSubslicesPerSlice = 16;
  properties->numSlices = 4;
  DescribeTimer(properties);
  DeviceUuid(device->number, properties->uuid.id);
  if (device->sub_device >= 0) {
    properties->flags |= ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE;
    properties->subdeviceId = static_cast<uint32_t>(device->sub_device);
    properties->uuid.id[14] = static_cast<uint8_t>(device->sub_device + 1);
  }
  std::snprintf(properties->name, sizeof properties->name, "%s", kDeviceName);
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetComputeProperties(ze_device_handle_t,
                                                    ze_device_compute_properties_t* properties) {
  SIMGPU_ZE_ENTER();
  if (properties == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  Clear(properties);
  properties->maxTotalGroupSize = 1024;
  properties->maxGroupSizeX = properties->maxGroupSizeY = properties->maxGroupSizeZ = 1024;
  properties->maxGroupCountX = properties->maxGroupCountY = properties->maxGroupCountZ =
      0xffffffffu;
  properties->maxSharedLocalMemory = 128 << 10;
  properties->numSubGroupSizes = 2;
  properties->subGroupSizes[0] = 16;
  properties->subGroupSizes[1] = 32;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetModuleProperties(ze_device_handle_t,
                                                   ze_device_module_properties_t* properties) {
  SIMGPU_ZE_ENTER();
  if (properties == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  Clear(properties);
  properties->spirvVersionSupported = ZE_MAKE_VERSION(1, 2);
  properties->flags =
      ZE_DEVICE_MODULE_FLAG_FP16 | ZE_DEVICE_MODULE_FLAG_FP64 | ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS;
  properties->maxArgumentsSize = 2048;
  properties->printfBufferSize = 4 << 20;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetCommandQueueGroupProperties(
    ze_device_handle_t, uint32_t* count, ze_command_queue_group_properties_t* groups) {
  SIMGPU_ZE_ENTER();
  if (count == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  const uint32_t asked = *count == 0 ? kOrdinals : std::min(*count, kOrdinals);
  for (uint32_t i = 0; *count > 0 && groups != nullptr && i < asked; ++i) {
    Clear(&groups[i]);
    groups[i].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
    if (i == kComputeOrdinal) {
      groups[i].flags |= ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE |
                         ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS;
    }
    groups[i].maxMemoryFillPatternSize = i == kComputeOrdinal ? SIZE_MAX : 16;
    groups[i].numQueues = 1;
  }
  *count = asked;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetMemoryProperties(ze_device_handle_t, uint32_t* count,
                                                   ze_device_memory_properties_t* properties) {
  SIMGPU_ZE_ENTER();
  if (count == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (*count > 0 && properties != nullptr) {
    Clear(properties);
    properties->maxClockRate = 3200;
    properties->maxBusWidth = 64;
    properties->totalSize = simgpu::Settings::OfProcess().memory_bytes;
    std::snprintf(properties->name, sizeof properties->name, "Simulated memory");
  }
  *count = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetMemoryAccessProperties(
    ze_device_handle_t, ze_device_memory_access_properties_t* properties) {
  SIMGPU_ZE_ENTER();
  if (properties == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  Clear(properties);
  const ze_memory_access_cap_flags_t all =
      ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC;
  properties->hostAllocCapabilities = properties->deviceAllocCapabilities = all;
  properties->sharedSingleDeviceAllocCapabilities = all;
  properties->sharedCrossDeviceAllocCapabilities = all;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetCacheProperties(ze_device_handle_t, uint32_t* count,
                                                  ze_device_cache_properties_t* properties) {
  SIMGPU_ZE_ENTER();
  if (count == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (*count > 0 && properties != nullptr) {
    Clear(properties);
    properties->cacheSize = 64 << 20;
  }
  *count = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetImageProperties(ze_device_handle_t,
                                                  ze_device_image_properties_t* properties) {
  SIMGPU_ZE_ENTER();
  if (properties == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  Clear(properties);  // all zero: no images
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetExternalMemoryProperties(
    ze_device_handle_t, ze_device_external_memory_properties_t* properties) {
  SIMGPU_ZE_ENTER();
  if (properties == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  Clear(properties);  // none
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetP2PProperties(ze_device_handle_t, ze_device_handle_t,
                                                ze_device_p2p_properties_t* properties) {
  SIMGPU_ZE_ENTER();
  if (properties == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  Clear(properties);
  properties->flags = ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceCanAccessPeer(ze_device_handle_t, ze_device_handle_t,
                                             ze_bool_t* value) {
  SIMGPU_ZE_ENTER();
  if (value == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  *value = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetStatus(ze_device_handle_t handle) {
  SIMGPU_ZE_ENTER();
  return FindDevice(handle) == nullptr ? ZE_RESULT_ERROR_INVALID_NULL_HANDLE : ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDeviceGetGlobalTimestamps(ze_device_handle_t handle, uint64_t* host,
                                                   uint64_t* device_timestamp) {
  SIMGPU_ZE_ENTER();
  const auto device = FindDevice(handle);
  if (device == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (host == nullptr || device_timestamp == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  *host = RawNow();
  *device_timestamp =
      MaskTo(DeviceCycles(device->number, *host), Settings::OfProcess().timestamp_bits);
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDevicePciGetPropertiesExt(ze_device_handle_t handle,
                                                   ze_pci_ext_properties_t* properties) {
  SIMGPU_ZE_ENTER();
  const auto device = FindDevice(handle);
  if (device == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (properties == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  Clear(properties);
  properties->address.bus = device->number + 1;
  properties->maxSpeed.genVersion = properties->maxSpeed.width = -1;
  properties->maxSpeed.maxBandwidth = -1;
  return ZE_RESULT_SUCCESS;
}

}  // namespace simgpu::level_zero
