// SPDX-License-Identifier: Apache-2.0
// What calls answer, one line each: for SIMGPU_FAULT. `memory`, `image` and `start` look at those.
#include "check.h"

#define SAY(what, call) printf("%s=0x%x\n", what, (unsigned)(call)), fflush(stdout)

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "start") == 0) {
    SAY("init", zeInit(0));
    return 0;
  }
  Start();
  if (strcmp(what, "memory") == 0) {
    ze_device_mem_alloc_desc_t description = {ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, NULL, 0, 0};
    for (int i = 0; i < 3; ++i) {
      void* memory = NULL;
      SAY("alloc", zeMemAllocDevice(the_context, &description, 1 << 20, 0, the_device, &memory));
    }
    return 0;
  }
  if (strcmp(what, "image") == 0) {
    ze_image_desc_t description = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC};
    ze_image_handle_t image;
    for (int i = 0; i < 2; ++i)
      SAY("image", zeImageCreate(the_context, the_device, &description, &image));
    return 0;
  }
  ze_command_list_handle_t list = AsyncList();
  ze_event_handle_t event = NewEvent(Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1), 0);
  const ze_group_count_t one = {1, 1, 1};
  SAY("launch", zeCommandListAppendLaunchKernel(list, NewKernel("faulty"), &one, event, 0, NULL));
  SAY("short", zeEventHostSynchronize(event, 20000000));
  SAY("status", zeDeviceGetStatus(the_device));
  if (strcmp(what, "forever") == 0) SAY("long", zeEventHostSynchronize(event, FOREVER));
  SAY("destroy", zeEventDestroy(event));
  return 0;
}
