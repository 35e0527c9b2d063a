// SPDX-License-Identifier: Apache-2.0
// Sub-devices (SIMGPU_ZE_SUBDEVICES, else it says that there are none): each has engines of its
// own and its root's clock.
#include "check.h"

int main(void) {
  Start();
  uint32_t count = 0;
  ZE(zeDeviceGetSubDevices(the_device, &count, NULL));
  fprintf(stderr, "subdevices=%u\n", count);
  if (count == 0) return Done();
  ze_device_handle_t parts[16], root = the_device;
  ZE(zeDeviceGetSubDevices(the_device, &count, parts));
  ze_event_pool_handle_t pool = Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 16);
  ze_event_handle_t events[16];
  ze_kernel_handle_t kernel = NewKernel("on_part");
  for (uint32_t i = 0; i < count; ++i) {
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ZE(zeDeviceGetProperties(parts[i], &properties));
    CHECK((properties.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE) != 0);
    CHECK(properties.subdeviceId == i);
    the_device = parts[i];
    events[i] = NewEvent(pool, i);
    Launch(AsyncList(), kernel, events[i]);
  }
  for (uint32_t i = 0; i < count; ++i) ZE(zeEventHostSynchronize(events[i], FOREVER));
  the_device = root;
  return Done();
}
