// SPDX-License-Identifier: Apache-2.0
// How the simulated runtime comes by its driver: libcuda.so.1 is opened at the first call, as the
// real one does, so that a program without a driver gets an error and not a loader's message.
#pragma once

#include <cuda.h>
#include <driver_types.h>

#include "tests/simulated_gpu/engine/seam.h"

namespace simgpu::runtime {

enum class Needs : uint8_t {
  kNothing,
  kDriver,   // an initialised driver
  kContext,  // a current context; the primary one of the thread's device is made where there is
             // none
};

// The driver's seam, or null where there is no driver that will do.
const Seam* TheSeam();

cudaError_t Prepare(Needs needs);

// The primary context of a device, which the runtime then uses.
cudaError_t PrimaryContext(int device, CUcontext* context);

// The last error of this thread.
cudaError_t Note(cudaError_t error);
cudaError_t LastError(bool reset);

// The thread's device, as cudaSetDevice left it.
int& ThreadDevice();

// A function of the driver, found by its exported name. Ends the process where it is not there: the
// two libraries are of different builds.
void* FindDriverEntry(const char* name);

}  // namespace simgpu::runtime
