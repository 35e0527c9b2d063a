// SPDX-License-Identifier: Apache-2.0
// How many kernels a second are appended: so many thousand launches, with an event each (argument
// "events") or without.
#include <time.h>

#include "check.h"

enum { kEvents = 64 };

static double Seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char** argv) {
  const int thousands = argc > 1 ? atoi(argv[1]) : 1;
  const int with_events = argc > 2 && strcmp(argv[2], "events") == 0;
  Start();
  ze_command_list_handle_t list = AsyncList();
  ze_kernel_handle_t kernel = NewKernel("rate");
  ze_event_pool_handle_t pool =
      Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, kEvents);
  ze_event_handle_t events[kEvents];
  for (uint32_t i = 0; i < kEvents; ++i) events[i] = NewEvent(pool, i);
  const double start = Seconds();
  for (int i = 0; i < thousands * 1000; ++i) {
    ze_event_handle_t event = events[i % kEvents];
    if (with_events && i >= kEvents) {
      ZE(zeEventHostSynchronize(event, FOREVER));
      ZE(zeEventHostReset(event));
    }
    Launch(list, kernel, with_events ? event : NULL);
  }
  fprintf(stderr, "launches_per_second=%.0f\n", thousands * 1000 / (Seconds() - start));
  return Done();
}
