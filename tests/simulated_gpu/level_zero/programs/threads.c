// SPDX-License-Identifier: Apache-2.0
// Sixteen threads append to one immediate list, and wait for events of their own.
#include <pthread.h>

#include "check.h"

enum { kThreads = 16, kRounds = 50 };

static ze_command_list_handle_t list;
static ze_event_pool_handle_t pool;
static ze_kernel_handle_t kernel;
static char* device;

static void* Work(void* argument) {
  const uint32_t number = (uint32_t)(uintptr_t)argument;
  ze_event_handle_t event = NewEvent(pool, number);
  for (int i = 0; i < kRounds; ++i) {
    char value[2] = {(char)(number + (uint32_t)i), 0};
    Launch(list, kernel, NULL);
    ZE(zeCommandListAppendMemoryCopy(list, device + 8 * number, value, 1, NULL, 0, NULL));
    ZE(zeCommandListAppendMemoryCopy(list, value + 1, device + 8 * number, 1, event, 0, NULL));
    ZE(zeEventHostSynchronize(event, FOREVER));
    CHECK(value[1] == value[0]);
    ZE(zeEventHostReset(event));
  }
  ZE(zeEventDestroy(event));
  return NULL;
}

int main(void) {
  Start();
  list = AsyncList();
  pool = Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, kThreads);
  kernel = NewKernel("of_threads");
  device = DeviceMemory(8 * kThreads);
  pthread_t threads[kThreads];
  for (uintptr_t i = 0; i < kThreads; ++i)
    CHECK(pthread_create(&threads[i], NULL, Work, (void*)i) == 0);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return Done();
}
