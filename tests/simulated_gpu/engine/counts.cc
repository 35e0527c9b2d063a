// SPDX-License-Identifier: Apache-2.0
// The kernel is known by its mangled name: `DeviceReduceSingleTileKernel<policy_hub<int, ...>,
// ...>` has (input, output, ...).
#include "tests/simulated_gpu/engine/counts.h"

#include <cstring>
#include <string_view>

#include "tests/simulated_gpu/engine/memory.h"

namespace simgpu {
namespace {

// Bytes of the sum, by the mangled type that follows; 0: no whole number.
size_t BytesOf(char type) {
  if (type == 'i' || type == 'j') return 4;
  return type == 'l' || type == 'm' || type == 'x' || type == 'y' ? 8 : 0;
}

}  // namespace

void ClearCount(const std::string& kernel, void* const* parameters) {
  constexpr std::string_view kKernel = "DeviceReduceSingleTileKernel", kPolicy = "policy_hubI";
  if (parameters == nullptr) return;
  const size_t at = kernel.find(kKernel);
  if (at == std::string::npos) return;
  const size_t policy = kernel.find(kPolicy, at);
  if (policy == std::string::npos || policy + kPolicy.size() >= kernel.size()) return;
  const size_t bytes = BytesOf(kernel[policy + kPolicy.size()]);
  void* output = nullptr;
  std::memcpy(&output, parameters[1], sizeof output);
  const auto memory = FindMemory(output);
  if (bytes == 0 || !memory || !IsOnDevice(memory->kind)) return;
  if (reinterpret_cast<uintptr_t>(output) + bytes > memory->base + memory->bytes) return;
  std::memset(output, 0, bytes);
}

}  // namespace simgpu
