// SPDX-License-Identifier: Apache-2.0
// Lists and queues: made, executed, waited for.
#include "collectors/level_zero/appends.h"
#include "collectors/level_zero/helper.h"
#include "collectors/level_zero/hooks.h"
#include "collectors/level_zero/syncs.h"
#include "inject/core/device_times.h"

namespace syncline::level_zero::hooks {
namespace {

constexpr AppendNames kExecute =
    NamesOf("zeCommandQueueExecuteCommandLists", CallRole::kGraphLaunch, CallRole::kGraphLaunch);
constexpr AppendNames kImmediateLists = NamesOf("zeCommandListImmediateAppendCommandListsExp",
                                                CallRole::kGraphLaunch, CallRole::kGraphLaunch);
constexpr AppendNames kListsWithParameters =
    NamesOf("zeCommandListImmediateAppendCommandListsWithParameters", CallRole::kGraphLaunch,
            CallRole::kGraphLaunch);

void MakeQueue(ze_device_handle_t device, const ze_command_queue_desc_t* desc, const void* handle,
               Queue* queue) {
  queue->device = DeviceOf(device);
  queue->synchronous = desc != nullptr && desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
  if (queue->device == nullptr) return;
  queue->stream = NextStream();
  TellQueue(*queue, handle);
  EnsureHelper();
}

// Null: counted.
List* MakeList(ze_context_handle_t context, ze_command_list_handle_t handle) {
  List* list = Keep(&g_objects.lists, handle);
  if (list == nullptr) return nullptr;
  list->context_handle = context;
  list->context = ContextOf(context);
  return list;
}

// A call for something that nobody saw being made.
ze_result_t Untracked(ze_result_t result) {
  if (result != ZE_RESULT_SUCCESS) return result;
  CountLoss(kLoss_ze_untracked);
  MissLaunch();
  return result;
}

// Lists that are given to a queue.
class ListRun {
 public:
  ListRun(uint32_t count, const ze_command_list_handle_t* lists) : count_(count), lists_(lists) {}

  void Prepare(const Drained& drained) const {
    Each([&drained](const ListSignal& command) {
      if (command.operation != kNone) PrepareAgain(command.operation, drained);
      if (command.event != nullptr) ReadBeforeReuse(g_objects.events.Find(command.event));
    });
  }

  void Executed(const Submission& submission, const Queue& queue) const {
    Each([&](const ListSignal& command) {
      Event* event = g_objects.events.Find(command.event);
      if (command.operation != kNone) {
        const Execution execution = Execute(command.operation, submission);
        KeepExecution(event, execution);
      }
      if (event != nullptr) TellSignal(&event->signal, submission.correlation, queue);
    });
    CountSubmitted();
  }

 private:
  template <typename Visit>
  void Each(Visit visit) const {
    for (uint32_t i = 0; lists_ != nullptr && i < count_; ++i) {
      if (const List* list = g_objects.lists.Find(lists_[i])) EachCommand(*list, visit);
    }
  }

  uint32_t count_;
  const ze_command_list_handle_t* lists_;
};

// One call that executes lists on a queue: `call` is the vendor's.
template <typename Call>
ze_result_t Run(const AppendNames& names, const Queue& queue, const ListRun& lists, Signal* signal,
                Call call) {
  const WatchedCall watched = {queue.synchronous ? &names.synchronous : &names.immediate,
                               NextCorrelation()};
  lists.Prepare(queue.drained());
  const uint64_t not_before_ns = AboutNow();
  const uint64_t begun = g_calls.Begin(watched);
  const ze_result_t result = call();
  if (result == ZE_RESULT_SUCCESS) {
    lists.Executed({watched.correlation, queue.stream, queue.device, not_before_ns}, queue);
    if (signal != nullptr) TellSignal(signal, watched.correlation, queue);
  }
  g_calls.End(watched, begun, static_cast<uint32_t>(result));
  return result;
}

template <typename Call>
ze_result_t WaitForQueue(const SyncNames& names, const void* handle, uint64_t timeout, Queue* queue,
                         Call call) {
  Sync sync(names, handle, timeout);
  const uint64_t before = TicketsGiven();
  const ze_result_t result = call();
  if (queue != nullptr) {
    if (result == ZE_RESULT_SUCCESS) queue->BeDrained(before);
    sync.WaitedFor(*queue);
  }
  return sync.End(result);
}

// A run on an immediate list.
template <typename Call>
ze_result_t RunImmediate(const AppendNames& names, ze_command_list_handle_t immediate,
                         const ListRun& lists, ze_event_handle_t signal, Call call) {
  const List* list = g_objects.lists.Find(immediate);
  if (list == nullptr) return Untracked(call());
  Event* event = g_objects.events.Find(signal);
  ReadBeforeReuse(event);
  return Run(names, list->queue, lists, event == nullptr ? nullptr : &event->signal, call);
}

}  // namespace

ze_result_t CommandListCreate(ze_context_handle_t context, ze_device_handle_t device,
                              const ze_command_list_desc_t* desc, ze_command_list_handle_t* out) {
  const ze_result_t result = g_api.CommandListCreate(context, device, desc, out);
  if (result != ZE_RESULT_SUCCESS || out == nullptr) return result;
  if (List* list = MakeList(context, *out)) list->queue.device = DeviceOf(device);
  return result;
}

ze_result_t CommandListCreateImmediate(ze_context_handle_t context, ze_device_handle_t device,
                                       const ze_command_queue_desc_t* desc,
                                       ze_command_list_handle_t* out) {
  const ze_result_t result = g_api.CommandListCreateImmediate(context, device, desc, out);
  if (result != ZE_RESULT_SUCCESS || out == nullptr) return result;
  if (List* list = MakeList(context, *out)) {
    list->immediate = true;
    MakeQueue(device, desc, *out, &list->queue);
  }
  return result;
}

ze_result_t CommandListDestroy(ze_command_list_handle_t handle) {
  if (List* list = g_objects.lists.Find(handle)) {
    EmptyList(list);
    g_objects.lists.Erase(handle);
  }
  return g_api.CommandListDestroy(handle);
}

ze_result_t CommandListReset(ze_command_list_handle_t handle) {
  if (List* list = g_objects.lists.Find(handle)) EmptyList(list);
  return g_api.CommandListReset(handle);
}

ze_result_t CommandListHostSynchronize(HostSynchronize real, ze_command_list_handle_t handle,
                                       uint64_t timeout) {
  static constexpr SyncNames kNames =
      SyncNamesOf("zeCommandListHostSynchronize", CallRole::kSynchronizeQueue);
  List* list = g_objects.lists.Find(handle);
  return WaitForQueue(kNames, handle, timeout, list == nullptr ? nullptr : &list->queue,
                      [&] { return real(handle, timeout); });
}

ze_result_t CommandListImmediateAppendCommandListsExp(AppendLists real,
                                                      ze_command_list_handle_t immediate,
                                                      uint32_t count,
                                                      ze_command_list_handle_t* lists,
                                                      ze_event_handle_t signal, uint32_t wait_count,
                                                      ze_event_handle_t* waits) {
  return RunImmediate(kImmediateLists, immediate, ListRun(count, lists), signal,
                      [&] { return real(immediate, count, lists, signal, wait_count, waits); });
}

ze_result_t CommandListImmediateAppendCommandListsWithParameters(
    AppendListsWithParameters real, ze_command_list_handle_t immediate, uint32_t count,
    ze_command_list_handle_t* lists, const void* next, ze_event_handle_t signal,
    uint32_t wait_count, ze_event_handle_t* waits) {
  return RunImmediate(kListsWithParameters, immediate, ListRun(count, lists), signal, [&] {
    return real(immediate, count, lists, next, signal, wait_count, waits);
  });
}

ze_result_t DeviceGetSubDevices(ze_device_handle_t device, uint32_t* count,
                                ze_device_handle_t* parts) {
  const ze_result_t result = g_api.DeviceGetSubDevices(device, count, parts);
  if (result == ZE_RESULT_SUCCESS && count != nullptr && parts != nullptr)
    KeepParts(device, *count, parts);
  return result;
}

// A part's work has no context of its own: a wait for it alone is not judged.
ze_result_t DeviceSynchronize(SynchronizeDevice real, ze_device_handle_t handle) {
  static constexpr SyncNames kNames =
      SyncNamesOf("zeDeviceSynchronize", CallRole::kSynchronizeDevice);
  static constexpr SyncNames kOfAPart = SyncNamesOf("zeDeviceSynchronize", CallRole::kOther);
  const Device* device = DeviceOf(handle);
  const bool judged = device != nullptr && !IsPart(*device);
  Sync sync(judged ? kNames : kOfAPart, handle, UINT64_MAX);
  const ze_result_t result = real(handle);
  if (judged) sync.WaitedFor(*device);
  return sync.End(result);
}

ze_result_t CommandQueueCreate(ze_context_handle_t context, ze_device_handle_t device,
                               const ze_command_queue_desc_t* desc,
                               ze_command_queue_handle_t* out) {
  const ze_result_t result = g_api.CommandQueueCreate(context, device, desc, out);
  if (result != ZE_RESULT_SUCCESS || out == nullptr) return result;
  if (Queue* queue = Keep(&g_objects.queues, *out)) MakeQueue(device, desc, *out, queue);
  return result;
}

ze_result_t CommandQueueDestroy(ze_command_queue_handle_t handle) {
  g_objects.queues.Erase(handle);
  return g_api.CommandQueueDestroy(handle);
}

ze_result_t CommandQueueExecuteCommandLists(ze_command_queue_handle_t handle, uint32_t count,
                                            ze_command_list_handle_t* lists,
                                            ze_fence_handle_t fence) {
  const auto call = [&] {
    return g_api.CommandQueueExecuteCommandLists(handle, count, lists, fence);
  };
  const Queue* queue = g_objects.queues.Find(handle);
  if (queue == nullptr) return Untracked(call());
  Fence* known = g_objects.fences.Find(fence);
  return Run(kExecute, *queue, ListRun(count, lists), known == nullptr ? nullptr : &known->signal,
             call);
}

ze_result_t CommandQueueSynchronize(ze_command_queue_handle_t handle, uint64_t timeout) {
  static constexpr SyncNames kNames =
      SyncNamesOf("zeCommandQueueSynchronize", CallRole::kSynchronizeQueue);
  return WaitForQueue(kNames, handle, timeout, g_objects.queues.Find(handle),
                      [&] { return g_api.CommandQueueSynchronize(handle, timeout); });
}

}  // namespace syncline::level_zero::hooks
