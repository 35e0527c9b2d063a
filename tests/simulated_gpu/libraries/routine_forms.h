// SPDX-License-Identifier: Apache-2.0
// Forms of functions that come in families: those that say how large a workspace must be, and those
// that compute and say whether all went well. A number is that of the arguments that stand before
// what counts, all of them integers and pointers, which take one place each.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tests/simulated_gpu/libraries/abi.h"
#include "tests/simulated_gpu/libraries/routine.h"

#define SIMGPU_SKIP_1 long
#define SIMGPU_SKIP_2 SIMGPU_SKIP_1, long
#define SIMGPU_SKIP_3 SIMGPU_SKIP_2, long
#define SIMGPU_SKIP_4 SIMGPU_SKIP_3, long
#define SIMGPU_SKIP_5 SIMGPU_SKIP_4, long
#define SIMGPU_SKIP_6 SIMGPU_SKIP_5, long
#define SIMGPU_SKIP_7 SIMGPU_SKIP_6, long
#define SIMGPU_SKIP_8 SIMGPU_SKIP_7, long
#define SIMGPU_SKIP_9 SIMGPU_SKIP_8, long
#define SIMGPU_SKIP_10 SIMGPU_SKIP_9, long
#define SIMGPU_SKIP_11 SIMGPU_SKIP_10, long
#define SIMGPU_SKIP_12 SIMGPU_SKIP_11, long
#define SIMGPU_SKIP_13 SIMGPU_SKIP_12, long
#define SIMGPU_SKIP_14 SIMGPU_SKIP_13, long
#define SIMGPU_SKIP_15 SIMGPU_SKIP_14, long
#define SIMGPU_SKIP_16 SIMGPU_SKIP_15, long
#define SIMGPU_SKIP_17 SIMGPU_SKIP_16, long
#define SIMGPU_SKIP_18 SIMGPU_SKIP_17, long
#define SIMGPU_SKIP_19 SIMGPU_SKIP_18, long
#define SIMGPU_SKIP_20 SIMGPU_SKIP_19, long
#define SIMGPU_SKIP_21 SIMGPU_SKIP_20, long

#define SIMGPU_SIZE(name, skip, type)                         \
  SIMGPU_LIBRARY int name(SIMGPU_SKIP_##skip, type* answer) { \
    *answer = 1024;                                           \
    return 0;                                                 \
  }

// The newer forms ask for memory of the device and of the host.
#define SIMGPU_SIZES(name, skip)                                              \
  SIMGPU_LIBRARY int name(SIMGPU_SKIP_##skip, size_t* device, size_t* host) { \
    *device = *host = 1024;                                                   \
    return 0;                                                                 \
  }

// One kernel on the handle's stream. That it went well is written at once: a stale number would be
// taken for an error, and the memory of simulated devices can be written to. `skip` does not count
// the handle.
#define SIMGPU_ROUTINE(name, skip)                                       \
  SIMGPU_LIBRARY int name(void* handle, SIMGPU_SKIP_##skip, int* info) { \
    if (info != nullptr) *info = 0;                                      \
    return simgpu::libraries::LaunchRoutine(handle, #name);              \
  }

// The same with a number for each matrix of a batch.
#define SIMGPU_BATCH(name, skip)                                                    \
  SIMGPU_LIBRARY int name(void* handle, SIMGPU_SKIP_##skip, int* info, int batch) { \
    std::fill_n(info, batch, 0);                                                    \
    return simgpu::libraries::LaunchRoutine(handle, #name);                         \
  }

// The same with parameters between the two.
#define SIMGPU_BATCH_WITH_PARAMETERS(name, skip)                                          \
  SIMGPU_LIBRARY int name(void* handle, SIMGPU_SKIP_##skip, int* info, long, int batch) { \
    std::fill_n(info, batch, 0);                                                          \
    return simgpu::libraries::LaunchRoutine(handle, #name);                               \
  }
