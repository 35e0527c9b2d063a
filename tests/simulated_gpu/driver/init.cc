// SPDX-License-Identifier: Apache-2.0
// The driver API: initialisation, versions, errors, entry points and devices.
#include <dlfcn.h>

#include <cstring>
#include <string>

#include "tests/simulated_gpu/driver/api.h"
#include "tests/simulated_gpu/engine/device_facts.h"
#include "tests/simulated_gpu/engine/faults.h"
#include "tests/simulated_gpu/engine/settings.h"
#include "tests/simulated_gpu/stubs/unsupported.h"

namespace {

struct ErrorText {
  int number;
  const char* name;
  const char* text;
};

constexpr ErrorText kErrors[] = {
#define X(number, driver, runtime, text) {number, #driver, text},
#include "tests/simulated_gpu/engine/errors.def"
#undef X
};

const ErrorText* FindError(CUresult error) {
  for (const ErrorText& row : kErrors) {
    if (row.number == static_cast<int>(error) && *row.name != '\0') return &row;
  }
  return nullptr;
}

int DriverVersion() {
  const simgpu::Faults& faults = simgpu::Faults::OfProcess();
  if (faults.Find("old_driver") != nullptr)
    return static_cast<int>(faults.Number("old_driver", 11040));
  return simgpu::Settings::OfProcess().driver_version;
}

// This library itself, for dlsym.
void* Self() {
  static void* const self = [] {
    Dl_info info;
    dladdr(reinterpret_cast<void*>(&simgpu_seam), &info);
    return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  return self;
}

struct NameOfTime {
  const char* name;
  int before;  // for programs that ask as of a CUDA version before this one
  const char* exported;
};

// Forms that older programs get; the current ones come from cuda.h. Only those the simulation
// models.
constexpr NameOfTime kOlderNames[] = {
    {"cuCtxCreate", 11040, "cuCtxCreate_v2"},
    {"cuCtxCreate", 12050, "cuCtxCreate_v3"},
    {"cuGetProcAddress", 12000, "cuGetProcAddress"},
    {"cuEventElapsedTime", 12080, "cuEventElapsedTime"},
    {"cuGraphInstantiate", 12000, "cuGraphInstantiate_v2"},
    {"cuStreamGetCaptureInfo", 12030, "cuStreamGetCaptureInfo_v2"},
    {"cuStreamUpdateCaptureDependencies", 12030, "cuStreamUpdateCaptureDependencies"},
    {"cuGraphAddDependencies", 12030, "cuGraphAddDependencies"},
    {"cuGraphGetEdges", 12030, "cuGraphGetEdges"},
    {"cuGraphNodeGetDependencies", 12030, "cuGraphNodeGetDependencies"},
    {"cuGraphNodeGetDependentNodes", 12030, "cuGraphNodeGetDependentNodes"},
    {"cuGraphRemoveDependencies", 12030, "cuGraphRemoveDependencies"},
    {"cuMemAdvise", 12020, "cuMemAdvise"},
    {"cuMemPrefetchAsync", 12020, "cuMemPrefetchAsync"},
};

// Newer forms under an old name, which cuda.h does not rename.
constexpr NameOfTime kExtraNames[] = {{"cuGraphInstantiate", 0, "cuGraphInstantiateWithFlags"}};

std::string ExportedName(const std::string& name, int version) {
  for (const NameOfTime& row : kOlderNames) {
    if (name == row.name && version < row.before) return row.exported;
  }
  for (const NameOfTime& row : kExtraNames) {
    if (name == row.name) return row.exported;
  }
#define SIMGPU_ROW(short_name, exported) \
  if (name == short_name) return exported;
  SIMGPU_CURRENT_NAMES(SIMGPU_ROW)
#undef SIMGPU_ROW
  return name;
}

void* FindEntry(const char* symbol, int version, cuuint64_t flags) {
  const std::string exported = ExportedName(symbol, version);
  if ((flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0) {
    for (const char* suffix : {"_ptsz", "_ptds"}) {
      if (void* entry = dlsym(Self(), (exported + suffix).c_str())) return entry;
    }
  }
  return dlsym(Self(), exported.c_str());
}

}  // namespace

namespace simgpu {

void SayUnsupported(const char* library, const char* function) {
  simgpu_unsupported(library, function);
}

}  // namespace simgpu

using simgpu::Device;
using simgpu::DeviceAt;

SIMGPU_CALL(kNothing, cuInit, (unsigned int Flags), Flags) {
  if (Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return simgpu::AsResult(simgpu::InitializeDriver());
}

SIMGPU_CALL(kNothing, cuDriverGetVersion, (int* driverVersion), driverVersion) {
  if (driverVersion == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *driverVersion = DriverVersion();
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kNothing, cuGetErrorString, (CUresult error, const char** pStr), error, pStr) {
  const ErrorText* row = FindError(error);
  *pStr = row == nullptr ? nullptr : row->text;
  return row == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

SIMGPU_CALL(kNothing, cuGetErrorName, (CUresult error, const char** pStr), error, pStr) {
  const ErrorText* row = FindError(error);
  *pStr = row == nullptr ? nullptr : row->name;
  return row == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

// NVIDIA's private tables are not imitated.
SIMGPU_CALL(kNothing, cuGetExportTable, (const void** ppExportTable, const CUuuid* pExportTableId),
            ppExportTable, pExportTableId) {
  (void)pExportTableId;
  if (ppExportTable != nullptr) *ppExportTable = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

SIMGPU_CALL(kNothing, cuGetProcAddress,
            (const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags,
             CUdriverProcAddressQueryResult* symbolStatus),
            symbol, pfn, cudaVersion, flags, symbolStatus) {
  if (symbol == nullptr || pfn == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pfn = FindEntry(symbol, cudaVersion, flags);
  const bool found = *pfn != nullptr;
  if (symbolStatus != nullptr) {
    *symbolStatus = found ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return found || symbolStatus != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

SIMGPU_CALL(kDriver, cuDeviceGetCount, (int* count), count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *count = static_cast<int>(simgpu::Devices().size());
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDeviceGet, (CUdevice * device, int ordinal), device, ordinal) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (DeviceAt(ordinal) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDeviceGetName, (char* name, int len, CUdevice dev), name, len, dev) {
  if (DeviceAt(dev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  if (name == nullptr || len <= 0) return CUDA_ERROR_INVALID_VALUE;
  std::strncpy(name, simgpu::DeviceName(), static_cast<size_t>(len));
  name[len - 1] = '\0';
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDeviceGetAttribute, (int* pi, CUdevice_attribute attrib, CUdevice dev), pi,
            attrib, dev) {
  const Device* device = DeviceAt(dev);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  if (pi == nullptr || !simgpu::DeviceAttribute(attrib, *device, pi))
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDeviceTotalMem, (size_t * bytes, CUdevice dev), bytes, dev) {
  if (DeviceAt(dev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *bytes = simgpu::DeviceMemoryBytes();
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDeviceGetUuid, (CUuuid * uuid, CUdevice dev), uuid, dev) {
  const Device* device = DeviceAt(dev);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  simgpu::DeviceUuid(device->physical, reinterpret_cast<unsigned char*>(uuid->bytes));
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDeviceGetPCIBusId, (char* pciBusId, int len, CUdevice dev), pciBusId, len,
            dev) {
  const Device* device = DeviceAt(dev);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  if (pciBusId == nullptr || len < 13) return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(pciBusId, static_cast<size_t>(len), "0000:%02X:00.0", device->physical + 1);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDeviceGetByPCIBusId, (CUdevice * dev, const char* pciBusId), dev, pciBusId) {
  for (const Device* device : simgpu::Devices()) {
    char name[16];
    std::snprintf(name, sizeof name, "0000:%02X:00.0", device->physical + 1);
    if (strcasecmp(name, pciBusId) != 0) continue;
    *dev = static_cast<CUdevice>(device->ordinal);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_DEVICE;
}

SIMGPU_CALL(kDriver, cuDeviceCanAccessPeer, (int* canAccessPeer, CUdevice dev, CUdevice peerDev),
            canAccessPeer, dev, peerDev) {
  if (DeviceAt(dev) == nullptr || DeviceAt(peerDev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  *canAccessPeer = dev != peerDev;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDeviceGetP2PAttribute,
            (int* value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice),
            value, attrib, srcDevice, dstDevice) {
  if (DeviceAt(srcDevice) == nullptr || DeviceAt(dstDevice) == nullptr || srcDevice == dstDevice) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *value = attrib == CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ? 0 : 1;
  return CUDA_SUCCESS;
}

// Nothing is ever logged: a registered function is never called.
SIMGPU_CALL(kNothing, cuLogsRegisterCallback,
            (CUlogsCallback callbackFunc, void* userData, CUlogsCallbackHandle* callback_out),
            callbackFunc, userData, callback_out) {
  (void)userData;
  if (callbackFunc == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (callback_out != nullptr) *callback_out = reinterpret_cast<CUlogsCallbackHandle>(callbackFunc);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kNothing, cuLogsUnregisterCallback, (CUlogsCallbackHandle callback), callback) {
  return callback == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
