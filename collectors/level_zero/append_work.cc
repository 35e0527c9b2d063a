// SPDX-License-Identifier: Apache-2.0
// Asks the driver what memory it is where the program's calls did not tell.
#include "collectors/level_zero/append_work.h"

namespace syncline::level_zero::hooks {

MemoryKind KindOf(ze_context_handle_t context, const void* address) {
  if (const Allocation* memory = g_objects.allocations.Find(address)) return memory->kind;
  if (g_api.MemGetAllocProperties == nullptr || context == nullptr || address == nullptr)
    return MemoryKind::kUnknown;
  const ErrnoKeeper keeper;
  ze_memory_allocation_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
  if (g_api.MemGetAllocProperties(context, address, &properties, nullptr) != ZE_RESULT_SUCCESS)
    return MemoryKind::kUnknown;
  switch (properties.type) {
    case ZE_MEMORY_TYPE_HOST:
      return MemoryKind::kPinned;
    case ZE_MEMORY_TYPE_DEVICE:
      return MemoryKind::kDevice;
    case ZE_MEMORY_TYPE_SHARED:
      return MemoryKind::kManaged;
    default:
      return MemoryKind::kPageable;  // the driver does not know it
  }
}

}  // namespace syncline::level_zero::hooks
