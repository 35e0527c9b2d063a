// SPDX-License-Identifier: Apache-2.0
// The device's clock: both meanings of its resolution, kernel timestamps that wrap, timestamps
// written by the device. Runs until it has seen so many wraps (default 1), at least 20 kernels.
#include <time.h>

#include "check.h"

static uint64_t Raw(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int main(int argc, char** argv) {
  const int wanted = argc > 1 ? atoi(argv[1]) : 1;
  Start();
  ze_device_properties_t old = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
  ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2};
  ZE(zeDeviceGetProperties(the_device, &old));
  ZE(zeDeviceGetProperties(the_device, &properties));
  CHECK(old.timerResolution == 1000000000 / properties.timerResolution);
  const uint64_t hz = properties.timerResolution;
  // What both kinds of timestamps have.
  const uint32_t bits = properties.kernelTimestampValidBits < properties.timestampValidBits
                            ? properties.kernelTimestampValidBits
                            : properties.timestampValidBits;
  const uint64_t mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;

  ze_command_list_handle_t list = AsyncList();
  ze_event_pool_handle_t pool =
      Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 2);
  ze_event_handle_t event = NewEvent(pool, 0);
  ze_event_handle_t stamped = NewEvent(pool, 1);
  ze_kernel_handle_t kernel = NewKernel("timed");
  uint64_t* written = HostMemory(64);
  int wraps = 0, kernels = 0;
  uint64_t before = 0;
  while (wraps < wanted || kernels < 20) {
    uint64_t host, device;
    ZE(zeDeviceGetGlobalTimestamps(the_device, &host, &device));
    CHECK(Raw() - host < 1000000000u);
    Launch(list, kernel, event);
    ZE(zeCommandListAppendWriteGlobalTimestamp(list, written, stamped, 1, &event));
    ZE(zeEventHostSynchronize(event, FOREVER));
    const uint64_t returned = Raw();
    ZE(zeEventHostSynchronize(stamped, FOREVER));
    ze_kernel_timestamp_result_t times;
    ZE(zeEventQueryKernelTimestamp(event, &times));
    ZE(zeEventHostReset(event));
    ZE(zeEventHostReset(stamped));
    CHECK(properties.kernelTimestampValidBits > bits || times.global.kernelEnd <= mask);
    // From the pair of clocks to the kernel's end is not more than the host has counted.
    const double cycles = (double)((times.global.kernelEnd - device) & mask);
    CHECK(cycles <= (double)(returned - host) * (double)hz / 1e9 * 1.01 + 100);
    CHECK(((written[0] - times.global.kernelEnd) & mask) < hz);
    if (times.global.kernelEnd < before) ++wraps;
    before = times.global.kernelEnd;
    ++kernels;
  }
  fprintf(stderr, "kernels=%d wraps=%d\n", kernels, wraps);
  return Done();
}
