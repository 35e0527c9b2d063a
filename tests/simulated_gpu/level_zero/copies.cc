// SPDX-License-Identifier: Apache-2.0
// Commands that move bytes, and those that do nothing to them: barriers, prefetches, advice.
#include <algorithm>
#include <cstring>

#include "tests/simulated_gpu/engine/durations.h"
#include "tests/simulated_gpu/level_zero/append.h"
#include "tests/simulated_gpu/level_zero/device_clock.h"
#include "tests/simulated_gpu/level_zero/memory.h"
#include "tests/simulated_gpu/level_zero/settings.h"

namespace simgpu::level_zero {

bool ReadTimestamps(const Event& event, uint64_t now, ze_kernel_timestamp_result_t* result);

namespace {

Command CopyCommand(void* to, const void* from, uint64_t bytes) {
  const CopyFacts facts = CopyFactsOf(to, from);
  Command command;
  command.kind = CommandKind::kMemcpy;
  command.name = "memcpy";
  command.copy_kind = facts.kind;
  command.bytes = bytes;
  command.duration_ns = Durations::OfCopy(facts.kind, facts.pageable, bytes);
  return command;
}

void Fill(char* to, const std::vector<char>& pattern, size_t size) {
  if (pattern.size() == 1) {
    std::memset(to, pattern[0], size);
    return;
  }
  for (size_t at = 0; at < size; at += pattern.size())
    std::memcpy(to + at, pattern.data(), std::min(pattern.size(), size - at));
}

struct Side {
  const ze_copy_region_t* region;
  uint64_t pitch, slice_pitch;
  uint64_t At(uint32_t row, uint32_t slice) const {
    return region->originX + (region->originY + row) * pitch +
           (region->originZ + slice) * slice_pitch;
  }
};

}  // namespace

ze_result_t AppendCopy(ze_command_list_handle_t list, void* to, const void* from, size_t size,
                       const Events& events) {
  if (to == nullptr || from == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  Command command = CopyCommand(to, from, size);
  command.body = [to, from, size] { std::memmove(to, from, size); };
  return Append(list, std::move(command), events);
}

ze_result_t AppendFill(ze_command_list_handle_t list, void* to, const Pattern& pattern, size_t size,
                       const Events& events) {
  if (to == nullptr || pattern.bytes == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (pattern.size == 0 || (pattern.size & (pattern.size - 1)) != 0)
    return ZE_RESULT_ERROR_INVALID_SIZE;
  const char* first = static_cast<const char*>(pattern.bytes);
  Command command;
  command.kind = CommandKind::kMemset;
  command.name = "memset";
  command.bytes = size;
  command.duration_ns = Durations::OfMemset(size);
  command.body = [to, size, kept = std::vector<char>(first, first + pattern.size)] {
    Fill(static_cast<char*>(to), kept, size);
  };
  return Append(list, std::move(command), events);
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryCopy(ze_command_list_handle_t list, void* to,
                                                     const void* from, size_t size,
                                                     ze_event_handle_t signal, uint32_t count,
                                                     ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  return AppendCopy(list, to, from, size, {signal, count, waits});
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryCopyFromContext(
    ze_command_list_handle_t list, void* to, ze_context_handle_t, const void* from, size_t size,
    ze_event_handle_t signal, uint32_t count, ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  return AppendCopy(list, to, from, size, {signal, count, waits});
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryCopyRegion(
    ze_command_list_handle_t list, void* to, const ze_copy_region_t* to_region, uint32_t to_pitch,
    uint32_t to_slice_pitch, const void* from, const ze_copy_region_t* from_region,
    uint32_t from_pitch, uint32_t from_slice_pitch, ze_event_handle_t signal, uint32_t count,
    ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  if (to == nullptr || from == nullptr || to_region == nullptr || from_region == nullptr)
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  const ze_copy_region_t target = *to_region, source = *from_region;
  const uint32_t height = std::max(source.height, 1u), depth = std::max(source.depth, 1u);
  Command command = CopyCommand(to, from, uint64_t{source.width} * height * depth);
  command.body = [=] {
    const Side target_side{&target, to_pitch, to_slice_pitch};
    const Side source_side{&source, from_pitch, from_slice_pitch};
    for (uint32_t slice = 0; slice < depth; ++slice) {
      for (uint32_t row = 0; row < height; ++row) {
        std::memmove(static_cast<char*>(to) + target_side.At(row, slice),
                     static_cast<const char*>(from) + source_side.At(row, slice), source.width);
      }
    }
  };
  return Append(list, std::move(command), {signal, count, waits});
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryFill(ze_command_list_handle_t list, void* to,
                                                     const void* pattern, size_t pattern_size,
                                                     size_t size, ze_event_handle_t signal,
                                                     uint32_t count, ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  return AppendFill(list, to, {pattern, pattern_size}, size, {signal, count, waits});
}

ze_result_t ZE_APICALL zeCommandListAppendBarrier(ze_command_list_handle_t list,
                                                  ze_event_handle_t signal, uint32_t count,
                                                  ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  return Append(list, {}, {signal, count, waits});
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryRangesBarrier(ze_command_list_handle_t list,
                                                              uint32_t, const size_t*, const void**,
                                                              ze_event_handle_t signal,
                                                              uint32_t count,
                                                              ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  return Append(list, {}, {signal, count, waits});
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryPrefetch(ze_command_list_handle_t list,
                                                         const void* address, size_t) {
  SIMGPU_ZE_ENTER();
  if (address == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  return Append(list, {}, {});
}

ze_result_t ZE_APICALL zeCommandListAppendMemAdvise(ze_command_list_handle_t list,
                                                    ze_device_handle_t, const void* address, size_t,
                                                    ze_memory_advice_t) {
  SIMGPU_ZE_ENTER();
  if (address == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  return Append(list, {}, {});
}

ze_result_t ZE_APICALL zeCommandListAppendWriteGlobalTimestamp(ze_command_list_handle_t handle,
                                                               uint64_t* to,
                                                               ze_event_handle_t signal,
                                                               uint32_t count,
                                                               ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  if (to == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  Command command;
  {
    EngineLock lock(EngineMutex());
    const auto list = Find<List>(handle);
    if (list == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    command.body_at_end = [to, device = list->device->number](uint64_t end_ns) {
      const uint32_t bits = Settings::OfProcess().timestamp_bits;
      *to = MaskTo(DeviceCycles(device, RawAt(end_ns)), bits);
    };
  }
  return Append(handle, std::move(command), {signal, count, waits});
}

// Real lists of a copy engine crash here.
ze_result_t ZE_APICALL zeCommandListAppendQueryKernelTimestamps(
    ze_command_list_handle_t list, uint32_t event_count, ze_event_handle_t* handles, void* to,
    const size_t* offsets, ze_event_handle_t signal, uint32_t count, ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  if (handles == nullptr || to == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  std::vector<std::shared_ptr<Event>> events;
  std::vector<size_t> places;
  {
    EngineLock lock(EngineMutex());
    for (uint32_t i = 0; i < event_count; ++i) {
      events.push_back(Find<Event>(handles[i]));
      if (events.back() == nullptr) return ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT;
      places.push_back(offsets == nullptr ? i * sizeof(ze_kernel_timestamp_result_t) : offsets[i]);
    }
  }
  Command command;
  command.body_at_end = [events, places, to](uint64_t end_ns) {
    for (size_t i = 0; i < events.size(); ++i) {
      ze_kernel_timestamp_result_t result;
      ReadTimestamps(*events[i], end_ns, &result);
      std::memcpy(static_cast<char*>(to) + places[i], &result, sizeof result);
    }
  };
  return Append(list, std::move(command), {signal, count, waits}, true);
}

}  // namespace simgpu::level_zero
