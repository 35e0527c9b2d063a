// SPDX-License-Identifier: Apache-2.0
// Copies and fills.
#include "collectors/level_zero/appends.h"
#include "collectors/level_zero/hooks.h"

namespace syncline::level_zero::hooks {
namespace {

constexpr AppendNames kCopy = WorkNames("zeCommandListAppendMemoryCopy", CallRole::kCopy);
constexpr AppendNames kFill = WorkNames("zeCommandListAppendMemoryFill", CallRole::kSet);
constexpr AppendNames kCopyWithParameters =
    WorkNames("zeCommandListAppendMemoryCopyWithParameters", CallRole::kCopy);
constexpr AppendNames kFillWithParameters =
    WorkNames("zeCommandListAppendMemoryFillWithParameters", CallRole::kSet);
constexpr AppendNames kRegion = WorkNames("zeCommandListAppendMemoryCopyRegion", CallRole::kCopy);
constexpr AppendNames kFromContext =
    WorkNames("zeCommandListAppendMemoryCopyFromContext", CallRole::kCopy);
constexpr AppendNames kImage = WorkNames("zeCommandListAppendImageCopy", CallRole::kCopy);
constexpr AppendNames kImageRegion =
    WorkNames("zeCommandListAppendImageCopyRegion", CallRole::kCopy);
constexpr AppendNames kImageToMemory =
    WorkNames("zeCommandListAppendImageCopyToMemory", CallRole::kCopy);
constexpr AppendNames kImageFromMemory =
    WorkNames("zeCommandListAppendImageCopyFromMemory", CallRole::kCopy);
constexpr AppendNames kImageToMemoryExt =
    WorkNames("zeCommandListAppendImageCopyToMemoryExt", CallRole::kCopy);
constexpr AppendNames kImageFromMemoryExt =
    WorkNames("zeCommandListAppendImageCopyFromMemoryExt", CallRole::kCopy);

// By the table of what was allocated, which has beginnings only; then by the driver's own.
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

WorkFacts CopyFacts(MemoryKind from, MemoryKind to, uint64_t bytes) {
  WorkFacts facts;
  facts.type = DeviceOpType::kCopy;
  facts.async = true;
  facts.from = from;
  facts.to = to;
  facts.bytes = bytes;
  return facts;
}

void WorkOfCopy(Append* append, const void* from, const void* to, uint64_t bytes) {
  if (append->is_followed())
    append->Work(CopyFacts(KindOf(append->context(), from), KindOf(append->context(), to), bytes));
}

void WorkOfFill(Append* append, const void* to, uint64_t bytes) {
  if (!append->is_followed()) return;
  WorkFacts facts = CopyFacts(MemoryKind::kUnknown, KindOf(append->context(), to), bytes);
  facts.type = DeviceOpType::kSet;
  append->Work(facts);
}

uint64_t BytesOf(const ze_copy_region_t* region) {
  if (region == nullptr) return 0;
  const uint64_t depth = region->depth == 0 ? 1 : region->depth;
  return uint64_t{region->width} * region->height * depth;
}

}  // namespace

ze_result_t CommandListAppendMemoryCopy(ze_command_list_handle_t list, void* to, const void* from,
                                        size_t bytes, ze_event_handle_t signal, uint32_t wait_count,
                                        ze_event_handle_t* waits) {
  Append append(list, kCopy, signal);
  WorkOfCopy(&append, from, to, bytes);
  return append.End(
      g_api.CommandListAppendMemoryCopy(list, to, from, bytes, append.signal(), wait_count, waits));
}

ze_result_t CommandListAppendMemoryFill(ze_command_list_handle_t list, void* to,
                                        const void* pattern, size_t pattern_bytes, size_t bytes,
                                        ze_event_handle_t signal, uint32_t wait_count,
                                        ze_event_handle_t* waits) {
  Append append(list, kFill, signal);
  WorkOfFill(&append, to, bytes);
  return append.End(g_api.CommandListAppendMemoryFill(list, to, pattern, pattern_bytes, bytes,
                                                      append.signal(), wait_count, waits));
}

ze_result_t CommandListAppendMemoryCopyWithParameters(CopyWithParameters real,
                                                      ze_command_list_handle_t list, void* to,
                                                      const void* from, size_t bytes,
                                                      const void* next, ze_event_handle_t signal,
                                                      uint32_t wait_count,
                                                      ze_event_handle_t* waits) {
  Append append(list, kCopyWithParameters, signal);
  WorkOfCopy(&append, from, to, bytes);
  return append.End(real(list, to, from, bytes, next, append.signal(), wait_count, waits));
}

ze_result_t CommandListAppendMemoryFillWithParameters(FillWithParameters real,
                                                      ze_command_list_handle_t list, void* to,
                                                      const void* pattern, size_t pattern_bytes,
                                                      size_t bytes, const void* next,
                                                      ze_event_handle_t signal, uint32_t wait_count,
                                                      ze_event_handle_t* waits) {
  Append append(list, kFillWithParameters, signal);
  WorkOfFill(&append, to, bytes);
  return append.End(
      real(list, to, pattern, pattern_bytes, bytes, next, append.signal(), wait_count, waits));
}

ze_result_t CommandListAppendMemoryCopyRegion(ze_command_list_handle_t list, void* to,
                                              const ze_copy_region_t* to_region, uint32_t to_pitch,
                                              uint32_t to_slice_pitch, const void* from,
                                              const ze_copy_region_t* from_region,
                                              uint32_t from_pitch, uint32_t from_slice_pitch,
                                              ze_event_handle_t signal, uint32_t wait_count,
                                              ze_event_handle_t* waits) {
  Append append(list, kRegion, signal);
  WorkOfCopy(&append, from, to, BytesOf(to_region));
  return append.End(g_api.CommandListAppendMemoryCopyRegion(
      list, to, to_region, to_pitch, to_slice_pitch, from, from_region, from_pitch,
      from_slice_pitch, append.signal(), wait_count, waits));
}

ze_result_t CommandListAppendMemoryCopyFromContext(ze_command_list_handle_t list, void* to,
                                                   ze_context_handle_t from_context,
                                                   const void* from, size_t bytes,
                                                   ze_event_handle_t signal, uint32_t wait_count,
                                                   ze_event_handle_t* waits) {
  Append append(list, kFromContext, signal);
  if (append.is_followed())
    append.Work(CopyFacts(KindOf(from_context, from), KindOf(append.context(), to), bytes));
  return append.End(g_api.CommandListAppendMemoryCopyFromContext(
      list, to, from_context, from, bytes, append.signal(), wait_count, waits));
}

// How many bytes a region of an image has, the image's format says, which is not followed.
ze_result_t CommandListAppendImageCopy(ze_command_list_handle_t list, ze_image_handle_t to,
                                       ze_image_handle_t from, ze_event_handle_t signal,
                                       uint32_t wait_count, ze_event_handle_t* waits) {
  Append append(list, kImage, signal);
  append.Work(CopyFacts(MemoryKind::kArray, MemoryKind::kArray, 0));
  return append.End(
      g_api.CommandListAppendImageCopy(list, to, from, append.signal(), wait_count, waits));
}

ze_result_t CommandListAppendImageCopyRegion(ze_command_list_handle_t list, ze_image_handle_t to,
                                             ze_image_handle_t from,
                                             const ze_image_region_t* to_region,
                                             const ze_image_region_t* from_region,
                                             ze_event_handle_t signal, uint32_t wait_count,
                                             ze_event_handle_t* waits) {
  Append append(list, kImageRegion, signal);
  append.Work(CopyFacts(MemoryKind::kArray, MemoryKind::kArray, 0));
  return append.End(g_api.CommandListAppendImageCopyRegion(list, to, from, to_region, from_region,
                                                           append.signal(), wait_count, waits));
}

ze_result_t CommandListAppendImageCopyToMemory(ze_command_list_handle_t list, void* to,
                                               ze_image_handle_t from,
                                               const ze_image_region_t* region,
                                               ze_event_handle_t signal, uint32_t wait_count,
                                               ze_event_handle_t* waits) {
  Append append(list, kImageToMemory, signal);
  if (append.is_followed())
    append.Work(CopyFacts(MemoryKind::kArray, KindOf(append.context(), to), 0));
  return append.End(g_api.CommandListAppendImageCopyToMemory(list, to, from, region,
                                                             append.signal(), wait_count, waits));
}

ze_result_t CommandListAppendImageCopyFromMemory(ze_command_list_handle_t list,
                                                 ze_image_handle_t to, const void* from,
                                                 const ze_image_region_t* region,
                                                 ze_event_handle_t signal, uint32_t wait_count,
                                                 ze_event_handle_t* waits) {
  Append append(list, kImageFromMemory, signal);
  if (append.is_followed())
    append.Work(CopyFacts(KindOf(append.context(), from), MemoryKind::kArray, 0));
  return append.End(g_api.CommandListAppendImageCopyFromMemory(list, to, from, region,
                                                               append.signal(), wait_count, waits));
}

ze_result_t CommandListAppendImageCopyToMemoryExt(ze_command_list_handle_t list, void* to,
                                                  ze_image_handle_t from,
                                                  const ze_image_region_t* region,
                                                  uint32_t row_pitch, uint32_t slice_pitch,
                                                  ze_event_handle_t signal, uint32_t wait_count,
                                                  ze_event_handle_t* waits) {
  Append append(list, kImageToMemoryExt, signal);
  if (append.is_followed())
    append.Work(CopyFacts(MemoryKind::kArray, KindOf(append.context(), to), 0));
  return append.End(g_api.CommandListAppendImageCopyToMemoryExt(
      list, to, from, region, row_pitch, slice_pitch, append.signal(), wait_count, waits));
}

ze_result_t CommandListAppendImageCopyFromMemoryExt(ze_command_list_handle_t list,
                                                    ze_image_handle_t to, const void* from,
                                                    const ze_image_region_t* region,
                                                    uint32_t row_pitch, uint32_t slice_pitch,
                                                    ze_event_handle_t signal, uint32_t wait_count,
                                                    ze_event_handle_t* waits) {
  Append append(list, kImageFromMemoryExt, signal);
  if (append.is_followed())
    append.Work(CopyFacts(KindOf(append.context(), from), MemoryKind::kArray, 0));
  return append.End(g_api.CommandListAppendImageCopyFromMemoryExt(
      list, to, from, region, row_pitch, slice_pitch, append.signal(), wait_count, waits));
}

}  // namespace syncline::level_zero::hooks
