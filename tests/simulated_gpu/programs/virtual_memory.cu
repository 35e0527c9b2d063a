// SPDX-License-Identifier: Apache-2.0
// Virtual memory management: addresses that grow piece by piece, as allocators with growing segments use it; pieces mapped
// twice; what the calls refuse.
#include <cuda.h>
#include <unistd.h>

#include "entry.h"

#define ENTRY(name) DriverEntry<decltype(&name)>(#name)
#define OK(call) CHECK((call) == CUDA_SUCCESS)
#define REFUSED(call) CHECK((call) == CUDA_ERROR_INVALID_VALUE)

static CUmemAllocationProp Properties() {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return properties;
}

static size_t Free() {
  size_t free = 0, total = 0;
  CUDA(cudaMemGetInfo(&free, &total));
  return free;
}

// One tensor over two pieces.
static void Grows(CUdeviceptr base, size_t piece) {
  const CUmemAllocationProp properties = Properties();
  CUmemAccessDesc access = {};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  const size_t free_before = Free();
  for (size_t i = 0; i < 2; ++i) {
    CUmemGenericAllocationHandle handle;
    OK(ENTRY(cuMemCreate)(&handle, piece, &properties, 0));
    OK(ENTRY(cuMemMap)(base + i * piece, piece, 0, handle, 0));
    REFUSED(ENTRY(cuMemMap)(base + i * piece, piece, 0, handle, 0));
    OK(ENTRY(cuMemRelease)(handle));  // the mapping keeps it
    REFUSED(ENTRY(cuMemRelease)(handle));
  }
  CHECK(free_before - Free() == 2 * piece);
  OK(ENTRY(cuMemSetAccess)(base, 2 * piece, &access, 1));
  unsigned long long flags = 0;
  OK(ENTRY(cuMemGetAccess)(&flags, &access.location, base + piece + 4));
  CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  const std::vector<float> up = Counting(2 * piece / sizeof(float));
  std::vector<float> down(up.size());
  CUDA(cudaMemcpy(reinterpret_cast<void*>(base), up.data(), 2 * piece, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(down.data(), reinterpret_cast<void*>(base), 2 * piece, cudaMemcpyDeviceToHost));
  CHECK(down == up);
  REFUSED(ENTRY(cuMemFree)(base));
  REFUSED(ENTRY(cuMemUnmap)(base, piece / 2));
  OK(ENTRY(cuMemUnmap)(base, 2 * piece));
  CHECK(Free() == free_before);
}

// One piece at two addresses, the second by way of a file descriptor.
static void Shared(CUdeviceptr base, size_t piece) {
  const CUmemAllocationProp properties = Properties();
  CUmemGenericAllocationHandle handle, imported;
  OK(ENTRY(cuMemCreate)(&handle, piece, &properties, 0));
  int file = -1;
  OK(ENTRY(cuMemExportToShareableHandle)(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  OK(ENTRY(cuMemImportFromShareableHandle)(&imported, reinterpret_cast<void*>(static_cast<uintptr_t>(file)),
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  close(file);
  OK(ENTRY(cuMemMap)(base, piece, 0, handle, 0));
  OK(ENTRY(cuMemMap)(base + piece, piece, 0, imported, 0));
  OK(ENTRY(cuMemsetD32)(base, 77, piece / 4));
  unsigned last = 0;
  OK(ENTRY(cuMemcpyDtoH)(&last, base + 2 * piece - 4, 4));
  CHECK(last == 77);
  CUmemGenericAllocationHandle retained;
  OK(ENTRY(cuMemRetainAllocationHandle)(&retained, reinterpret_cast<void*>(base)));
  CHECK(retained == handle);
  OK(ENTRY(cuMemRelease)(retained));
  OK(ENTRY(cuMemUnmap)(base, 2 * piece));
  OK(ENTRY(cuMemRelease)(handle));
  OK(ENTRY(cuMemRelease)(imported));
}

int main() {
  CUDA(cudaFree(nullptr));
  const CUmemAllocationProp properties = Properties();
  size_t piece = 0;
  OK(ENTRY(cuMemGetAllocationGranularity)(&piece, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUdeviceptr base = 0;
  OK(ENTRY(cuMemAddressReserve)(&base, 8 * piece, 0, 0, 0));
  CHECK(base % piece == 0);
  CUmemGenericAllocationHandle handle;
  REFUSED(ENTRY(cuMemCreate)(&handle, piece + 1, &properties, 0));
  CHECK(ENTRY(cuMemCreate)(&handle, piece << 30, &properties, 0) == CUDA_ERROR_OUT_OF_MEMORY);
  const size_t free = Free();
  Grows(base, piece);
  Shared(base, piece);
  CHECK(Free() == free);
  REFUSED(ENTRY(cuMemAddressFree)(base, piece));
  OK(ENTRY(cuMemAddressFree)(base, 8 * piece));
  return 0;
}
