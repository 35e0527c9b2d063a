// SPDX-License-Identifier: Apache-2.0
// What the exported functions have in common: the last error of the thread, and the names of
// results.
#pragma once

#include <cupti.h>

#define SIMGPU_CUPTI_EXPORT extern "C" __attribute__((visibility("default")))

namespace simgpu::cupti {

inline thread_local CUptiResult t_last_error = CUPTI_SUCCESS;

// Passes a result on, and remembers it for cuptiGetLastError where it is an error.
inline CUptiResult Answer(CUptiResult result) {
  if (result != CUPTI_SUCCESS) t_last_error = result;
  return result;
}

// Null where the number is no result, or no call of the domain.
const char* ResultName(CUptiResult result);
const char* CallName(uint32_t domain, uint32_t cbid);

}  // namespace simgpu::cupti
