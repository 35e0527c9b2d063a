// SPDX-License-Identifier: Apache-2.0
// Calls of newer headers, asked for by name: waiting for a device, copies, fills and launches with
// parameters, regular lists on an immediate list.
#include "later_api.h"

enum { kBytes = 4096 };
static const ze_group_count_t kOne = {1, 1, 1};

static ze_command_list_handle_t Recorded(const char* kernel) {
  ze_command_list_handle_t list = RegularList(COMPUTE);
  Launch(list, NewKernel(kernel), NULL);
  ZE(zeCommandListClose(list));
  return list;
}

// Two queues and an immediate list are busy; another device, if there is one, is not.
static void WholeDevice(void) {
  device_synchronize synchronize = (device_synchronize)Address("zeDeviceSynchronize");
  ze_command_list_handle_t first = Recorded("on_first_queue"), second = Recorded("on_second_queue");
  ze_command_list_handle_t list = AsyncList();
  ze_command_queue_handle_t queue = Queue(COMPUTE, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  ze_command_queue_handle_t other = Queue(COMPUTE, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  ze_device_handle_t devices[2] = {the_device, the_device};
  uint32_t count = 2;
  ZE(zeDeviceGet(the_driver, &count, devices));
  ZE(zeCommandQueueExecuteCommandLists(queue, 1, &first, NULL));
  ZE(zeCommandQueueExecuteCommandLists(other, 1, &second, NULL));
  Launch(list, NewKernel("on_list"), NULL);
  if (count == 2) ZE(synchronize(devices[1]));
  ZE(synchronize(the_device));
  ZE(synchronize(the_device));  // once more: there is nothing left
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, synchronize(NULL));
}

// With sub-devices (SIMGPU_ZE_SUBDEVICES): a part's work is the part's and the whole's. With the
// argument "parts" the host waits for each of them, too.
static void PartsOfADevice(int one_by_one) {
  device_synchronize synchronize = (device_synchronize)Address("zeDeviceSynchronize");
  ze_device_handle_t parts[2], root = the_device;
  uint32_t count = 2;
  ZE(zeDeviceGetSubDevices(root, &count, parts));
  if (count < 2) return;
  the_device = parts[0];
  ze_command_list_handle_t list = AsyncList();
  the_device = root;
  ze_kernel_handle_t kernel = NewKernel("on_part");
  Launch(list, kernel, NULL);
  if (one_by_one) {
    ZE(synchronize(parts[1]));
    ZE(synchronize(parts[0]));
  }
  Launch(list, kernel, NULL);
  ZE(synchronize(root));
}

static void CopiesAndFills(ze_command_list_handle_t list, ze_event_handle_t event) {
  copy_with_parameters copy =
      (copy_with_parameters)Address("zeCommandListAppendMemoryCopyWithParameters");
  fill_with_parameters fill =
      (fill_with_parameters)Address("zeCommandListAppendMemoryFillWithParameters");
  char *device = DeviceMemory(kBytes), *host = HostMemory(kBytes);
  const uint16_t pattern = 0x2a07;
  const cooperative_desc unknown = {COOPERATIVE_DESC, NULL, 1};
  memset(host, 0, kBytes);
  ZE(fill(list, device, &pattern, sizeof pattern, kBytes, NULL, NULL, 0, NULL));
  ZE(copy(list, host, device, kBytes, NULL, event, 0, NULL));
  ZE(zeEventHostSynchronize(event, FOREVER));
  CHECK(host[0] == 7 && host[1] == 42 && host[kBytes - 1] == 42);
  ZE(zeEventHostReset(event));
  ZE(copy(list, device, host, kBytes / 2, NULL, NULL, 0, NULL));
  ZE(fill(list, device, host, 1, kBytes, NULL, event, 0, NULL));
  ZE(zeEventHostSynchronize(event, FOREVER));
  ZE(zeEventHostReset(event));
  ZE_GIVES(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
           copy(list, host, device, kBytes, &unknown, NULL, 0, NULL));
  ZE_GIVES(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
           fill(list, device, host, 1, kBytes, &unknown, NULL, 0, NULL));
}

static void Launches(ze_command_list_handle_t list, ze_event_handle_t event) {
  launch_with_parameters parameters =
      (launch_with_parameters)Address("zeCommandListAppendLaunchKernelWithParameters");
  launch_with_arguments arguments =
      (launch_with_arguments)Address("zeCommandListAppendLaunchKernelWithArguments");
  const cooperative_desc together = {COOPERATIVE_DESC, NULL, 1}, unknown = {1, NULL, 1};
  const group_size size = {64, 2, 1}, none = {0, 1, 1};
  const ze_group_count_t many = {8192, 1, 1};  // how long it takes depends on the group's size
  uint64_t value = 1;
  void* values[] = {&value};
  ze_kernel_handle_t kernel = NewKernel("with_arguments");
  ZE(parameters(list, NewKernel("with_parameters"), &many, NULL, NULL, 0, NULL));
  ZE(parameters(list, NewKernel("with_parameters"), &many, &together, NULL, 0, NULL));
  ZE(arguments(list, kernel, many, size, values, NULL, event, 0, NULL));
  ZE(zeEventHostSynchronize(event, FOREVER));
  ZE(zeEventHostReset(event));
  ZE_GIVES(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
           parameters(list, kernel, &kOne, &unknown, NULL, 0, NULL));
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
           arguments(list, kernel, kOne, none, values, NULL, NULL, 0, NULL));
}

static void ListsOnAList(ze_command_list_handle_t list, ze_event_handle_t go,
                         ze_event_handle_t done) {
  append_lists append = (append_lists)Address("zeCommandListImmediateAppendCommandListsExp");
  ze_command_list_handle_t two[] = {Recorded("appended_a"), Recorded("appended_b")};
  Launch(AsyncList(), NewKernel("lets_go"), go);
  Launch(list, NewKernel("before_lists"), NULL);
  ZE(append(list, 2, two, done, 1, &go));
  Launch(list, NewKernel("behind_lists"), NULL);
  ZE(zeEventHostSynchronize(done, FOREVER));
  ze_kernel_timestamp_result_t times;
  ZE(zeEventQueryKernelTimestamp(done, &times));
  CHECK((uint32_t)(times.global.kernelEnd - times.global.kernelStart) > 0);
  ZE(append(list, 1, two, NULL, 0, NULL));  // once more, without events

  ze_command_list_handle_t synchronous =
      ImmediateList(COMPUTE, 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
  ZE(append(synchronous, 1, &two[1], NULL, 0, NULL));
  ze_command_list_handle_t open = RegularList(COMPUTE), of_copies = RegularList(COPY);
  ZE(zeCommandListClose(of_copies));
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_ARGUMENT, append(two[0], 1, &two[1], NULL, 0, NULL));
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_ARGUMENT, append(list, 1, &open, NULL, 0, NULL));
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, append(list, 1, &list, NULL, 0, NULL));
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, append(list, 1, &of_copies, NULL, 0, NULL));
}

int main(int argc, char** argv) {
  Start();
  WholeDevice();
  PartsOfADevice(argc > 1 && strcmp(argv[1], "parts") == 0);
  ze_command_list_handle_t list = AsyncList();
  ze_event_pool_handle_t pool =
      Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 3);
  ze_event_handle_t event = NewEvent(pool, 0);
  CopiesAndFills(list, event);
  Launches(list, event);
  ListsOnAList(list, NewEvent(pool, 1), NewEvent(pool, 2));
  return Done();
}
