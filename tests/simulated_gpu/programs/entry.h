// SPDX-License-Identifier: Apache-2.0
// The driver's functions as most programs come by them: asked for at run time, as of a CUDA
// version.
#pragma once

#include <cudaTypedefs.h>

#include "check.h"

template <class T>
T DriverEntry(const char* name, int version = CUDA_VERSION) {
  void* entry = nullptr;
#if CUDART_VERSION >= 12050
  cudaDriverEntryPointQueryResult found;
  CUDA(cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &found));
  CHECK(found == cudaDriverEntryPointSuccess);
#else  // only as of the runtime's own version, which may be newer than this program's
  void* ask = nullptr;
  CUDA(cudaGetDriverEntryPoint("cuGetProcAddress", &ask, cudaEnableDefault));
  CHECK(reinterpret_cast<PFN_cuGetProcAddress_v12000>(ask)(name, &entry, version, 0, nullptr) ==
        CUDA_SUCCESS);
#endif
  CHECK(entry != nullptr);
  return reinterpret_cast<T>(entry);
}
