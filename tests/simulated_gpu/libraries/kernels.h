// SPDX-License-Identifier: Apache-2.0
// Launches of a simulated library's own kernels, by name, with the duration that the library says.
// Each library has a CUDA runtime of its own inside, as NVIDIA's have.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace simgpu {
class Collective;
}  // namespace simgpu

namespace simgpu::libraries {

struct Shape {
  uint32_t blocks = 1;
  uint32_t threads = 128;
};

// Each is 0 or a cudaError_t. `stream` is the one of the library's handle. A rule of
// SIMGPU_DURATIONS that fits the name goes before `us`.
int LaunchKernel(std::string_view name, Shape shape, double us, void* stream);
// The same by cuLaunchKernelEx, in clusters of two blocks, with no call of the runtime around it.
int LaunchKernelByDriver(std::string_view name, Shape shape, double us, void* stream);
// The same in clusters of four; it ends when `collective` says so, `us` after the last rank came.
int LaunchCollective(std::string_view name, Shape shape, double us, void* stream,
                     const std::shared_ptr<Collective>& collective);

}  // namespace simgpu::libraries
