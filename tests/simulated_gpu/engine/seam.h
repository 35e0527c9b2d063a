// SPDX-License-Identifier: Apache-2.0
// What the simulated libcudart needs of the simulated libcuda.so.1 beyond the public driver API:
// the frames of calls, and what the real runtime does through private interfaces. Found by
// dlsym("simgpu_seam"), since a program with a static runtime is not linked to the driver.
#pragma once

#include <atomic>
#include <cstdint>

#include "tests/simulated_gpu/engine/collective.h"
#include "tests/simulated_gpu/engine/observer.h"
#include "tests/simulated_gpu/engine/thread_state.h"

namespace simgpu {

inline constexpr uint32_t kSeamVersion = 4;

struct Seam {
  uint32_t version;
  ThreadState* (*thread)();
  ApiSwitches* switches;
  const std::atomic<bool>* hang_armed;  // SIMGPU_FAULT=hang: every call takes the slow path
  std::atomic<uint32_t>* next_correlation;
  void (*enter)(ApiFrame* frame, const void* params, const int* result);
  void (*exit)(ApiFrame* frame);
  void (*end_spin)(ThreadState* thread);
  // Makes the device's primary context current on this thread; a CUresult. Not visible as a call.
  int (*bind_primary)(int device);
  // The handle of the device's primary context; a CUresult. The runtime uses it until it is reset.
  int (*primary_context)(int device, void** context);
  // The ordinal of the device of this thread's current context; -1 where there is none, or it is
  // gone.
  int (*current_device)();
  void (*unsupported)(const char* library, const char* function);
  // A run of a collective has ended. Any thread of the library; see engine/collective.h.
  void (*finish_collective)(uint64_t run, uint64_t start_ns, uint64_t end_ns,
                            const CollectiveFacts* facts);
};

}  // namespace simgpu

SIMGPU_EXPORT const simgpu::Seam* simgpu_seam();
