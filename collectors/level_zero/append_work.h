// SPDX-License-Identifier: Apache-2.0
// What a device does for a command, told from the arguments of the call that appends it.
#pragma once

#include "collectors/level_zero/appends.h"
#include "collectors/level_zero/hooks.h"

namespace syncline::level_zero::hooks {

// No record of a device follows.
struct NoWork {};

// By the table of what was allocated, which has beginnings only; then by the driver's own.
MemoryKind KindOf(ze_context_handle_t context, const void* address);

inline WorkFacts CopyFacts(MemoryKind from, MemoryKind to, uint64_t bytes) {
  WorkFacts facts;
  facts.type = DeviceOpType::kCopy;
  facts.async = true;
  facts.from = from;
  facts.to = to;
  facts.bytes = bytes;
  return facts;
}

struct CopyWork {
  void operator()(Append& append, const void* to, const void* from, size_t bytes, auto...) const {
    if (!append.is_followed()) return;
    append.Work(CopyFacts(KindOf(append.context(), from), KindOf(append.context(), to), bytes));
  }
};

struct RegionWork {
  void operator()(Append& append, const void* to, const ze_copy_region_t* region, uint32_t,
                  uint32_t, const void* from, auto...) const {
    uint64_t bytes = 0;
    if (region != nullptr)
      bytes = uint64_t{region->width} * region->height * (region->depth == 0 ? 1 : region->depth);
    CopyWork()(append, to, from, bytes);
  }
};

struct FromContextWork {
  void operator()(Append& append, const void* to, ze_context_handle_t from_context,
                  const void* from, size_t bytes, auto...) const {
    if (!append.is_followed()) return;
    append.Work(CopyFacts(KindOf(from_context, from), KindOf(append.context(), to), bytes));
  }
};

// How many bytes a region of an image has, the image's format says, which is not followed.
struct ImageWork {
  void operator()(Append& append, ze_image_handle_t, ze_image_handle_t, auto...) const {
    append.Work(CopyFacts(MemoryKind::kArray, MemoryKind::kArray, 0));
  }
  void operator()(Append& append, const void* to, ze_image_handle_t, auto...) const {
    if (append.is_followed())
      append.Work(CopyFacts(MemoryKind::kArray, KindOf(append.context(), to), 0));
  }
  void operator()(Append& append, ze_image_handle_t, const void* from, auto...) const {
    if (append.is_followed())
      append.Work(CopyFacts(KindOf(append.context(), from), MemoryKind::kArray, 0));
  }
};

struct FillWork {
  void operator()(Append& append, const void* to, const void*, size_t, size_t bytes,
                  auto...) const {
    if (!append.is_followed()) return;
    WorkFacts facts = CopyFacts(MemoryKind::kUnknown, KindOf(append.context(), to), bytes);
    facts.type = DeviceOpType::kSet;
    append.Work(facts);
  }
};

// `groups`: null where only the device knows.
inline WorkFacts LaunchFacts(ze_kernel_handle_t handle, const ze_group_count_t* groups) {
  WorkFacts facts;
  facts.async = true;
  if (groups != nullptr) {
    facts.grid[0] = groups->groupCountX;
    facts.grid[1] = groups->groupCountY;
    facts.grid[2] = groups->groupCountZ;
  }
  const Kernel* kernel = g_objects.kernels.Find(handle);
  if (kernel == nullptr) return facts;
  facts.kernel = kernel->name;
  for (int i = 0; i < 3; ++i) facts.block[i] = kernel->group[i].load(std::memory_order_relaxed);
  return facts;
}

struct LaunchWork {
  void operator()(Append& append, ze_kernel_handle_t kernel, const ze_group_count_t* groups,
                  auto...) const {
    append.Work(LaunchFacts(kernel, groups));
  }
  void operator()(Append& append, ze_kernel_handle_t kernel, ze_group_count_t groups,
                  GroupSize sizes, auto...) const {
    WorkFacts facts = LaunchFacts(kernel, &groups);
    facts.block[0] = sizes.x;
    facts.block[1] = sizes.y;
    facts.block[2] = sizes.z;
    append.Work(facts);
  }
};

struct IndirectWork {
  // The counts may be in memory of the device.
  void operator()(Append& append, ze_kernel_handle_t kernel, auto...) const {
    append.Work(LaunchFacts(kernel, nullptr));
  }
  // One event for all of them, so they are one slice, by the name of the first.
  void operator()(Append& append, uint32_t count, const ze_kernel_handle_t* kernels,
                  auto...) const {
    append.Work(LaunchFacts(count == 0 || kernels == nullptr ? nullptr : kernels[0], nullptr));
  }
};

}  // namespace syncline::level_zero::hooks
