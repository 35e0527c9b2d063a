// SPDX-License-Identifier: Apache-2.0
// Command lists, command queues and fences.
#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/level_zero/append.h"

namespace simgpu::level_zero {
namespace {

uint64_t next_list_id = 0;  // under the engine lock

bool IsSynchronous(const ze_command_queue_desc_t& description) {
  return description.mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
}

// Row S1: all that is executed stands in one stream; the last one ends last.
ze_result_t Execute(const Queue& queue, const Lists& lists, const std::shared_ptr<Fence>& fence,
                    Target* target) {
  const ze_result_t bad = CheckLists(lists, queue.stream->ordinal);
  if (bad != ZE_RESULT_SUCCESS) return bad;
  for (const auto& list : lists) {
    for (const auto& command : list->commands) SubmitCommand(queue.stream, command, list->id);
  }
  if (fence != nullptr) {
    Command mark;
    mark.signal = fence->semaphore;
    SubmitCommand(queue.stream, std::make_shared<const Command>(std::move(mark)), 0);
  }
  if (queue.synchronous && queue.stream->last != nullptr)
    target->operations.push_back(queue.stream->last);
  return ZE_RESULT_SUCCESS;
}

// A wait for all of a stream's work until now, as zeCommandQueueSynchronize.
ze_result_t SynchronizeStream(const std::shared_ptr<Stream>& stream, uint64_t timeout) {
  Target target;
  {
    EngineLock lock(EngineMutex());
    if (stream->last != nullptr) target.operations.push_back(stream->last);
  }
  if (timeout == 0) return Query(stream.get(), target);
  return HostWait(WaitClass::kStream, target, Record::kAlways, timeout);
}

}  // namespace

ze_result_t ZE_APICALL zeCommandQueueCreate(ze_context_handle_t context, ze_device_handle_t device,
                                            const ze_command_queue_desc_t* description,
                                            ze_command_queue_handle_t* made) {
  SIMGPU_ZE_ENTER();
  if (description == nullptr || made == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  EngineLock lock(EngineMutex());
  const auto owner = Find<Context>(context);
  const auto target = Find<Device>(device);
  if (owner == nullptr || target == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  auto queue = std::make_shared<Queue>();
  queue->stream = NewStream(owner.get(), *target, description->ordinal,
                            (description->flags & kQueueInOrder) != 0);
  if (queue->stream == nullptr) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  queue->synchronous = IsSynchronous(*description);
  *made = static_cast<ze_command_queue_handle_t>(NewHandle(std::move(queue)));
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandQueueDestroy(ze_command_queue_handle_t queue) {
  SIMGPU_ZE_ENTER(Call::kAlways);
  return Destroy<Queue>(queue);
}

ze_result_t ZE_APICALL zeCommandQueueExecuteCommandLists(ze_command_queue_handle_t handle,
                                                         uint32_t count,
                                                         ze_command_list_handle_t* handles,
                                                         ze_fence_handle_t fence_handle) {
  SIMGPU_ZE_ENTER();
  if (handles == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  Target target;
  {
    EngineLock lock(EngineMutex());
    const auto queue = Find<Queue>(handle);
    const auto fence = Find<Fence>(fence_handle);
    if (queue == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (fence_handle != nullptr && fence == nullptr)
      return ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT;
    Lists lists;
    for (uint32_t i = 0; i < count; ++i) lists.push_back(Find<List>(handles[i]));
    const ze_result_t result = Execute(*queue, lists, fence, &target);
    if (result != ZE_RESULT_SUCCESS) return result;
  }
  MoveBytes();
  if (target.operations.empty()) return ZE_RESULT_SUCCESS;
  return HostWait(WaitClass::kStream, target, Record::kAlways);
}

ze_result_t ZE_APICALL zeCommandQueueSynchronize(ze_command_queue_handle_t handle,
                                                 uint64_t timeout) {
  SIMGPU_ZE_ENTER(timeout == 0 ? Call::kQuery : Call::kPlain);
  std::shared_ptr<Stream> stream;
  {
    EngineLock lock(EngineMutex());
    const auto queue = Find<Queue>(handle);
    if (queue == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    stream = queue->stream;
  }
  return SynchronizeStream(stream, timeout);
}

ze_result_t ZE_APICALL zeCommandListCreate(ze_context_handle_t context, ze_device_handle_t device,
                                           const ze_command_list_desc_t* description,
                                           ze_command_list_handle_t* made) {
  SIMGPU_ZE_ENTER();
  if (description == nullptr || made == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  EngineLock lock(EngineMutex());
  const auto target = Find<Device>(device);
  if (Find<Context>(context) == nullptr || target == nullptr)
    return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (description->commandQueueGroupOrdinal >= kOrdinals) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  auto list = std::make_shared<List>();
  list->id = ++next_list_id;
  list->device = target.get();
  list->ordinal = description->commandQueueGroupOrdinal;
  list->in_order = (description->flags & kListInOrder) != 0;
  *made = static_cast<ze_command_list_handle_t>(NewHandle(std::move(list)));
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListCreateImmediate(ze_context_handle_t context,
                                                    ze_device_handle_t device,
                                                    const ze_command_queue_desc_t* description,
                                                    ze_command_list_handle_t* made) {
  SIMGPU_ZE_ENTER();
  if (description == nullptr || made == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  EngineLock lock(EngineMutex());
  const auto owner = Find<Context>(context);
  const auto target = Find<Device>(device);
  if (owner == nullptr || target == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  auto list = std::make_shared<List>();
  list->id = ++next_list_id;
  list->device = target.get();
  list->ordinal = description->ordinal;
  list->in_order = (description->flags & kQueueInOrder) != 0;
  list->synchronous = IsSynchronous(*description);
  list->stream = NewStream(owner.get(), *target, list->ordinal, list->in_order);
  if (list->stream == nullptr) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  *made = static_cast<ze_command_list_handle_t>(NewHandle(std::move(list)));
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListDestroy(ze_command_list_handle_t list) {
  SIMGPU_ZE_ENTER(Call::kAlways);
  return Destroy<List>(list);
}

ze_result_t ZE_APICALL zeCommandListClose(ze_command_list_handle_t handle) {
  SIMGPU_ZE_ENTER();
  EngineLock lock(EngineMutex());
  const auto list = Find<List>(handle);
  if (list == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (list->stream != nullptr) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  list->closed = true;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListReset(ze_command_list_handle_t handle) {
  SIMGPU_ZE_ENTER();
  EngineLock lock(EngineMutex());
  const auto list = Find<List>(handle);
  if (list == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (list->stream != nullptr) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  list->closed = false;
  list->commands.clear();
  return ZE_RESULT_SUCCESS;
}

// Of API 1.6: reached through the tables of newer loaders, and zeDriverGetExtensionFunctionAddress.
ze_result_t ZE_APICALL zeCommandListHostSynchronize(ze_command_list_handle_t handle,
                                                    uint64_t timeout) {
  SIMGPU_ZE_ENTER(timeout == 0 ? Call::kQuery : Call::kPlain);
  std::shared_ptr<Stream> stream;
  {
    EngineLock lock(EngineMutex());
    const auto list = Find<List>(handle);
    if (list == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (list->stream == nullptr) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    stream = list->stream;
  }
  return SynchronizeStream(stream, timeout);
}

ze_result_t ZE_APICALL zeFenceCreate(ze_command_queue_handle_t queue,
                                     const ze_fence_desc_t* description, ze_fence_handle_t* made) {
  SIMGPU_ZE_ENTER();
  if (description == nullptr || made == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  EngineLock lock(EngineMutex());
  if (Find<Queue>(queue) == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  auto fence = std::make_shared<Fence>();
  if ((description->flags & ZE_FENCE_FLAG_SIGNALED) != 0) fence->semaphore->line.SignalAt({});
  *made = static_cast<ze_fence_handle_t>(NewHandle(std::move(fence)));
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeFenceDestroy(ze_fence_handle_t fence) {
  SIMGPU_ZE_ENTER(Call::kAlways);
  return Destroy<Fence>(fence);
}

namespace {

ze_result_t FenceTarget(ze_fence_handle_t handle, Target* target) {
  EngineLock lock(EngineMutex());
  const auto fence = Find<Fence>(handle);
  if (fence == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  target->semaphore = fence->semaphore;
  return ZE_RESULT_SUCCESS;
}

}  // namespace

ze_result_t ZE_APICALL zeFenceHostSynchronize(ze_fence_handle_t handle, uint64_t timeout) {
  SIMGPU_ZE_ENTER(timeout == 0 ? Call::kQuery : Call::kPlain);
  Target target;
  if (const ze_result_t bad = FenceTarget(handle, &target); bad != ZE_RESULT_SUCCESS) return bad;
  if (timeout == 0) return Query(handle, target);
  return HostWait(WaitClass::kEvent, target, Record::kAlways, timeout);
}

ze_result_t ZE_APICALL zeFenceQueryStatus(ze_fence_handle_t handle) {
  SIMGPU_ZE_ENTER(Call::kQuery);
  Target target;
  if (const ze_result_t bad = FenceTarget(handle, &target); bad != ZE_RESULT_SUCCESS) return bad;
  return Query(handle, target);
}

ze_result_t ZE_APICALL zeFenceReset(ze_fence_handle_t handle) {
  SIMGPU_ZE_ENTER();
  EngineLock lock(EngineMutex());
  const auto fence = Find<Fence>(handle);
  if (fence == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  ResetNow(fence->semaphore, Now());
  return ZE_RESULT_SUCCESS;
}

}  // namespace simgpu::level_zero
