// SPDX-License-Identifier: Apache-2.0
// The driver API, reached as most programs reach it: by entry points asked for at run time. A module from PTX text.
#include <cuda.h>
#include <dlfcn.h>

#include <cstring>

#include "entry.h"

static const char kPtx[] = "//\n.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry from_ptx() { ret; }\n";

#define ENTRY(name) DriverEntry<decltype(&name)>(#name)
#define OK(call) CHECK((call) == CUDA_SUCCESS)

int main() {
  const auto get_count = ENTRY(cuDeviceGetCount);
  int devices = 0;
  OK(get_count(&devices));
  CHECK(devices > 0);
  CUcontext context = nullptr;
  OK(DriverEntry<PFN_cuCtxCreate_v3020>("cuCtxCreate", 11000)(&context, 0, 0));
  OK(ENTRY(cuCtxDestroy)(context));
  OK(DriverEntry<PFN_cuCtxCreate_v11040>("cuCtxCreate", 12040)(&context, nullptr, 0, 0, 0));
#if CUDA_VERSION >= 12050
  OK(ENTRY(cuCtxDestroy)(context));
  OK(DriverEntry<PFN_cuCtxCreate_v12050>("cuCtxCreate", 12050)(&context, nullptr, 0, 0));
#endif
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  OK(ENTRY(cuModuleLoadData)(&module, kPtx));
  CHECK(ENTRY(cuModuleLoadData)(&module, "no image") == CUDA_ERROR_INVALID_IMAGE);
  OK(ENTRY(cuModuleGetFunction)(&function, module, "from_ptx"));
  CUdeviceptr memory = 0;
  OK(ENTRY(cuMemAlloc)(&memory, 1 << 20));
  OK(ENTRY(cuMemsetD32)(memory, 0x01020304, 1 << 18));
  std::vector<unsigned> down(1 << 18);
  OK(ENTRY(cuMemcpyDtoH)(down.data(), memory, 1 << 20));
  CHECK(down.front() == 0x01020304 && down.back() == 0x01020304);
  CUstream stream = nullptr;
  OK(ENTRY(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING));
  OK(ENTRY(cuLaunchKernel)(function, 4, 1, 1, 128, 1, 1, 0, stream, nullptr, nullptr));
  CHECK(ENTRY(cuLaunchKernel)(function, 4, 1, 1, 4096, 1, 1, 0, stream, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  OK(ENTRY(cuStreamSynchronize)(stream));
  const char* text = nullptr;
  OK(ENTRY(cuGetErrorString)(CUDA_ERROR_OUT_OF_MEMORY, &text));
  CHECK(std::strcmp(text, "out of memory") == 0);
  // A function that is not modelled says so and refuses.
  CHECK(ENTRY(cuArrayCreate)(nullptr, nullptr) == CUDA_ERROR_NOT_SUPPORTED);
  // NVIDIA's private tables are refused.
  const void* table = nullptr;
  const CUuuid id = {};
  CHECK(ENTRY(cuGetExportTable)(&table, &id) != CUDA_SUCCESS && table == nullptr);
  OK(ENTRY(cuMemFree)(memory));
  OK(ENTRY(cuModuleUnload)(module));
  OK(ENTRY(cuCtxDestroy)(context));
  return 0;
}
