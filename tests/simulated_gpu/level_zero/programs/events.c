// SPDX-License-Identifier: Apache-2.0
// Events: used again and again, reset by host and device, signaled by the host, with and without
// timestamps.
#include "check.h"

static void Reused(ze_command_list_handle_t list, ze_event_handle_t event) {
  ze_kernel_handle_t kernel = NewKernel("reused");
  uint64_t before = 0;
  for (int i = 0; i < 5; ++i) {
    Launch(list, kernel, event);
    ZE(zeEventHostSynchronize(event, FOREVER));
    ze_kernel_timestamp_result_t times;
    ZE(zeEventQueryKernelTimestamp(event, &times));
    CHECK(times.global.kernelStart != before);
    before = times.global.kernelStart;
    ZE(zeEventHostReset(event));
    ZE_GIVES(ZE_RESULT_NOT_READY, zeEventQueryKernelTimestamp(event, &times));
  }
  // A host signal says nothing of times: those of the last kernel are still there.
  ze_kernel_timestamp_result_t stale;
  ZE(zeEventHostSignal(event));
  ZE(zeEventQueryKernelTimestamp(event, &stale));
  CHECK(stale.global.kernelStart == before);
  ZE(zeEventHostReset(event));
}

static void ResetStorm(ze_command_list_handle_t list, ze_event_handle_t event) {
  ze_kernel_handle_t kernel = NewKernel("storm");
  for (int i = 0; i < 200; ++i) {
    Launch(list, kernel, event);
    ZE(zeCommandListAppendEventReset(list, event));
  }
  ZE(zeCommandListAppendSignalEvent(list, event));
  ZE(zeEventHostSynchronize(event, FOREVER));
  ZE(zeEventHostReset(event));
}

static void SignaledByTheHost(ze_command_list_handle_t list, ze_event_handle_t go,
                              ze_event_handle_t done) {
  const ze_group_count_t groups = {1, 1, 1};
  char* device = DeviceMemory(64);
  char* host = HostMemory(64);
  host[0] = 1;
  ZE(zeCommandListAppendLaunchKernel(list, NewKernel("behind_host"), &groups, NULL, 1, &go));
  ZE(zeCommandListAppendMemoryCopy(list, device, host, 64, NULL, 0, NULL));
  ZE(zeCommandListAppendMemoryCopy(list, host + 1, device, 1, done, 0, NULL));
  ZE_GIVES(ZE_RESULT_NOT_READY, zeEventHostSynchronize(done, 2000000));
  host[0] = 42;  // nothing was copied yet
  ZE(zeEventHostSignal(go));
  ZE(zeEventHostSynchronize(done, FOREVER));
  CHECK(host[1] == 42);
}

// A pool that wants no timestamps: whoever asks its events for them is refused.
static void Untimed(ze_command_list_handle_t list) {
  ze_event_handle_t event = NewEvent(Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1), 0);
  ze_kernel_timestamp_result_t none;
  uint32_t count = 0;
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeEventQueryKernelTimestamp(event, &none));
  Launch(list, NewKernel("not_asked"), event);
  ZE(zeEventHostSynchronize(event, FOREVER));
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeEventQueryKernelTimestamp(event, &none));
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_NULL_POINTER, zeEventQueryKernelTimestamp(event, NULL));
  ZE(zeEventQueryTimestampsExp(event, the_device, &count, NULL));
  CHECK(count == 1);
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_ARGUMENT,
           zeEventQueryTimestampsExp(event, the_device, &count, &none));
  ZE(zeEventDestroy(event));
}

int main(void) {
  Start();
  ze_command_list_handle_t list = AsyncList();
  ze_event_pool_handle_t timed =
      Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 2);
  ze_event_pool_handle_t plain = Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC, 4);
  Reused(list, NewEvent(timed, 0));
  ResetStorm(list, NewEvent(timed, 1));
  SignaledByTheHost(list, NewEvent(plain, 0), NewEvent(plain, 1));

  ze_event_handle_t event = NewEvent(plain, 2);
  ze_kernel_timestamp_result_t none;
  Launch(list, NewKernel("untimed"), event);
  ZE(zeEventHostSynchronize(event, FOREVER));
  ZE(zeEventHostSynchronize(event, FOREVER));  // once more: it is signaled already
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeEventQueryKernelTimestamp(event, &none));
  ze_ipc_event_pool_handle_t ipc;
  ZE_GIVES(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, zeEventPoolGetIpcHandle(plain, &ipc));
  Untimed(list);
  ZE(zeEventDestroy(event));
  ZE(zeEventPoolDestroy(plain));
  return Done();
}
