// SPDX-License-Identifier: Apache-2.0
// Memory of each kind, what is known of an address, copies of regions, and each way to free.
#include "check.h"

static ze_memory_type_t TypeOf(const void* address, ze_device_handle_t* device) {
  ze_memory_allocation_properties_t properties = {
      .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
  ZE(zeMemGetAllocProperties(the_context, address, &properties, device));
  return properties.type;
}

static void Kinds(void) {
  ze_device_mem_alloc_desc_t on_device = {ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, NULL, 0, 0};
  ze_host_mem_alloc_desc_t on_host = {ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, NULL, 0};
  char *device = DeviceMemory(10000), *host = HostMemory(100), *shared = NULL;
  ZE(zeMemAllocShared(the_context, &on_device, &on_host, 5000, 1 << 16, the_device,
                      (void**)&shared));
  CHECK((uintptr_t)shared % (1 << 16) == 0);
  ze_device_handle_t owner = NULL;
  int own;
  CHECK(TypeOf(device + 9999, &owner) == ZE_MEMORY_TYPE_DEVICE && owner == the_device);
  CHECK(TypeOf(shared, &owner) == ZE_MEMORY_TYPE_SHARED && owner == the_device);
  CHECK(TypeOf(host, &owner) == ZE_MEMORY_TYPE_HOST && owner == NULL);
  CHECK(TypeOf(&own, &owner) == ZE_MEMORY_TYPE_UNKNOWN);
  void* base = NULL;
  size_t size = 0;
  ZE(zeMemGetAddressRange(the_context, device + 500, &base, &size));
  CHECK(base == device && size >= 10000);
  shared[4999] = 1;
  ZE(zeMemFree(the_context, device));
  ZE(zeMemFree(the_context, shared));
  ZE(zeMemFree(the_context, host));
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeMemFree(the_context, host));
}

static void Regions(ze_command_list_handle_t list) {
  char *from = HostMemory(4096), *to = HostMemory(4096);
  for (int i = 0; i < 4096; ++i) from[i] = (char)i;
  const ze_copy_region_t source = {2, 1, 0, 4, 3, 1}, target = {0, 0, 0, 4, 3, 1};
  ZE(zeCommandListAppendMemoryCopyRegion(list, to, &target, 8, 0, from, &source, 64, 0, NULL, 0,
                                         NULL));
  CHECK(to[0] == from[66] && to[8 + 3] == from[133] && to[16] == from[194] && to[4] == 0);
  ZE(zeCommandListAppendMemoryPrefetch(list, to, 64));
  ZE(zeCommandListAppendMemAdvise(list, the_device, to, 64, ZE_MEMORY_ADVICE_SET_READ_MOSTLY));
  ZE(zeContextMakeMemoryResident(the_context, the_device, to, 4096));
  ZE(zeContextEvictMemory(the_context, the_device, to, 4096));
}

static void Frees(ze_command_list_handle_t list) {
  ze_kernel_handle_t kernel = NewKernel("user_of_memory");
  ze_event_handle_t event = NewEvent(Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1), 0);
  ze_memory_free_ext_desc_t policy = {ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC, NULL,
                                      ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE};
  void *blocking = DeviceMemory(64), *deferred = DeviceMemory(64), *plain = DeviceMemory(64);
  Launch(list, kernel, event);
  ZE(zeMemFreeExt(the_context, &policy, blocking));
  ZE(zeEventQueryStatus(event));                           // it was over when the call returned
  ZE(zeMemFreeExt(the_context, &policy, HostMemory(64)));  // nothing to wait for
  Launch(list, kernel, NULL);
  policy.freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE;
  ZE(zeMemFreeExt(the_context, &policy, deferred));
  policy.freePolicy = 0;
  ZE(zeMemFreeExt(the_context, &policy, plain));
}

int main(void) {
  Start();
  Kinds();
  Regions(ImmediateList(COMPUTE, 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS));
  Frees(AsyncList());
  return Done();
}
