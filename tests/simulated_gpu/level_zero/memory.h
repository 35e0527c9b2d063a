// SPDX-License-Identifier: Apache-2.0
// The table of all memory that the driver allocated. Guarded by the engine lock.
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>
#include <map>
#include <optional>

#include "tests/simulated_gpu/engine/observer.h"
#include "tests/simulated_gpu/level_zero/objects.h"

namespace simgpu::level_zero {

struct Allocation {
  uintptr_t base = 0;
  uint64_t bytes = 0, id = 0, context = 0;
  ze_memory_type_t type = ZE_MEMORY_TYPE_UNKNOWN;
  Device* device = nullptr;  // null for memory of the host
  void* mapping = nullptr;   // what munmap wants
  uint64_t mapping_bytes = 0;
};

// The allocation that holds the address.
std::optional<Allocation> FindMemory(const void* address);

// What a copy is to the truth file and to the duration model.
struct CopyFacts {
  CopyKind kind;
  bool pageable;
};
CopyFacts CopyFactsOf(const void* to, const void* from);

}  // namespace simgpu::level_zero
