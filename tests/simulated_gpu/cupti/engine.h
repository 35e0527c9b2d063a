// SPDX-License-Identifier: Apache-2.0
// The simulated driver as this library sees it: its simgpu_ functions, found at run time, and the
// fault switches.
#pragma once

#include <cupti.h>

#include <cstdint>

#include "tests/simulated_gpu/engine/observer.h"

namespace simgpu::cupti {

#define SIMGPU_CUPTI_ENGINE_FUNCTIONS(X) \
  X(set_observer)                        \
  X(api_switches)                        \
  X(categories)                          \
  X(now)                                 \
  X(device_count)                        \
  X(device_info)                         \
  X(context_id)                          \
  X(stream_id)                           \
  X(device_of)                           \
  X(graph_id)                            \
  X(graph_exec_id)                       \
  X(graph_node_id)                       \
  X(for_each_resource)                   \
  X(hide_calls)                          \
  X(current_correlation)                 \
  X(unsupported)

// One pointer per function of observer.h; all set.
struct Engine {
#define SIMGPU_CUPTI_ENGINE_FIELD(name) decltype(&simgpu_##name) name = nullptr;
  SIMGPU_CUPTI_ENGINE_FUNCTIONS(SIMGPU_CUPTI_ENGINE_FIELD)
#undef SIMGPU_CUPTI_ENGINE_FIELD
};

// Null where there is no libcuda.so.1 of ours, and in a forked child. Opens the library at the
// first call.
const Engine* FindEngine();

// What every function that needs the driver answers before it looks at anything else:
// CUPTI_SUCCESS, or why not. The numbers are those that the real libraries gave without a GPU
// (README.md).
CUptiResult DriverState();

// The value of a switch of SIMGPU_FAULT: null when off, "" when on without a value. Works without a
// driver.
const char* Fault(const char* name);
uint64_t FaultNumber(const char* name, uint64_t otherwise);

void UseEngineForTest(const Engine* engine);
void UseFaultsForTest(const char* faults);

}  // namespace simgpu::cupti
