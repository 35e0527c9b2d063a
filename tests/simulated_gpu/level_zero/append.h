// SPDX-License-Identifier: Apache-2.0
// Gives commands to lists and queues, and waits where their mode says so.
#pragma once

#include <level_zero/ze_api.h>

#include "tests/simulated_gpu/level_zero/call.h"
#include "tests/simulated_gpu/level_zero/objects.h"

namespace simgpu::level_zero {

// Not in the headers of API 1.4.
inline constexpr ze_command_list_flags_t kListInOrder = 0x2;  // of API 1.7
inline constexpr ze_command_queue_flags_t kQueueInOrder = 0x2;

struct Events {
  ze_event_handle_t signal = nullptr;
  uint32_t count = 0;
  ze_event_handle_t* waits = nullptr;
  bool more_follow = false;  // another command of the same call: only the last makes the host wait
};

// `needs_compute`: refused by lists of the copy engine.
ze_result_t Append(ze_command_list_handle_t list, Command command, const Events& events,
                   bool needs_compute = false);

// What calls of several API versions do. The caller has entered its call.
ze_result_t AppendLaunch(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                         const ze_group_count_t* groups, const Events& events);
ze_result_t AppendCopy(ze_command_list_handle_t list, void* to, const void* from, size_t size,
                       const Events& events);
struct Pattern {
  const void* bytes;
  size_t size;
};
ze_result_t AppendFill(ze_command_list_handle_t list, void* to, const Pattern& pattern, size_t size,
                       const Events& events);

using Lists = std::vector<std::shared_ptr<List>>;
// Whether regular lists can be executed on engines of that ordinal. Under the lock.
ze_result_t CheckLists(const Lists& lists, uint32_t ordinal);
// Executes regular lists on an immediate one: behind all that is in it and behind the waits; the
// signal comes behind the last list.
ze_result_t AppendLists(ze_command_list_handle_t list, uint32_t count,
                        const ze_command_list_handle_t* handles, const Events& events);

// A stream for a new queue or immediate list. Under the lock; null where the ordinal is unknown.
std::shared_ptr<Stream> NewStream(Context* context, const Device& device, uint32_t ordinal,
                                  bool in_order);
// A command of the stream. Under the lock.
std::shared_ptr<Operation> SubmitCommand(const std::shared_ptr<Stream>& stream,
                                         std::shared_ptr<const Command> command, uint64_t list);

}  // namespace simgpu::level_zero
