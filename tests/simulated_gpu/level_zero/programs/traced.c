// SPDX-License-Identifier: Apache-2.0
// A program with a tracer of its own: the loader's tracing layer calls it before and behind three
// functions. It says on stdout what its tracer saw.
#include <level_zero/layers/zel_tracing_api.h>

#include "check.h"

enum { kRounds = 4, kBytes = 256 };

typedef struct {
  int before, behind, failed;
} Seen;
typedef struct {
  Seen launches, copies, waits;
} Tracer;

// `token` is kept by the layer from the prologue to the epilogue of one call.
static void Before(Seen* seen, void** token) {
  ++seen->before;
  *token = seen;
}
static void Behind(Seen* seen, void** token, ze_result_t result) {
  ++seen->behind;
  if (result != ZE_RESULT_SUCCESS || *token != seen) ++seen->failed;
}

static void BeforeLaunch(ze_command_list_append_launch_kernel_params_t* call, ze_result_t result,
                         void* tracer, void** token) {
  (void)result;
  CHECK(call->phKernel != NULL && *call->phKernel != NULL);
  Before(&((Tracer*)tracer)->launches, token);
}
static void BehindLaunch(ze_command_list_append_launch_kernel_params_t* call, ze_result_t result,
                         void* tracer, void** token) {
  CHECK((*call->ppLaunchFuncArgs)->groupCountX == 4);
  Behind(&((Tracer*)tracer)->launches, token, result);
}
static void BeforeCopy(ze_command_list_append_memory_copy_params_t* call, ze_result_t result,
                       void* tracer, void** token) {
  (void)result;
  CHECK(*call->psize == kBytes);
  Before(&((Tracer*)tracer)->copies, token);
}
static void BehindCopy(ze_command_list_append_memory_copy_params_t* call, ze_result_t result,
                       void* tracer, void** token) {
  CHECK(*call->psize == kBytes);
  Behind(&((Tracer*)tracer)->copies, token, result);
}
static void BeforeWait(ze_event_host_synchronize_params_t* call, ze_result_t result, void* tracer,
                       void** token) {
  (void)result;
  if (*call->ptimeout != FOREVER) return;  // a profiler's question whether the work is over
  Before(&((Tracer*)tracer)->waits, token);
}
static void BehindWait(ze_event_host_synchronize_params_t* call, ze_result_t result, void* tracer,
                       void** token) {
  if (*call->ptimeout != FOREVER) return;  // a profiler's question whether the work is over
  Behind(&((Tracer*)tracer)->waits, token, result);
}

static zel_tracer_handle_t NewTracer(Tracer* seen) {
  zel_tracer_desc_t description = {ZEL_STRUCTURE_TYPE_TRACER_DESC, NULL, seen};
  zel_tracer_handle_t tracer;
  ZE(zelTracerCreate(&description, &tracer));
  zel_core_callbacks_t before, behind;
  memset(&before, 0, sizeof before);
  memset(&behind, 0, sizeof behind);
  before.CommandList.pfnAppendLaunchKernelCb = BeforeLaunch;
  behind.CommandList.pfnAppendLaunchKernelCb = BehindLaunch;
  before.CommandList.pfnAppendMemoryCopyCb = BeforeCopy;
  behind.CommandList.pfnAppendMemoryCopyCb = BehindCopy;
  before.Event.pfnHostSynchronizeCb = BeforeWait;
  behind.Event.pfnHostSynchronizeCb = BehindWait;
  ZE(zelTracerSetPrologues(tracer, &before));
  ZE(zelTracerSetEpilogues(tracer, &behind));
  return tracer;
}

static void Work(const char* name) {
  ze_command_list_handle_t list = AsyncList();
  ze_event_handle_t event = NewEvent(Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1), 0);
  ze_kernel_handle_t kernel = NewKernel(name);
  char *device = DeviceMemory(kBytes), *host = HostMemory(kBytes);
  for (int i = 0; i < kRounds; ++i) {
    memset(host, i, kBytes);
    Launch(list, kernel, NULL);
    ZE(zeCommandListAppendMemoryCopy(list, device, host, kBytes, NULL, 0, NULL));
    ZE(zeCommandListAppendMemoryCopy(list, host, device, kBytes, event, 0, NULL));
    ZE(zeEventHostSynchronize(event, FOREVER));
    CHECK(host[kBytes - 1] == i);
    ZE(zeEventHostReset(event));
  }
}

static void Say(const char* what, const Seen* seen, int expected) {
  printf("%s=%d/%d\n", what, seen->before, seen->behind);
  CHECK(seen->before == expected && seen->behind == expected && seen->failed == 0);
}

int main(void) {
  setenv("ZE_ENABLE_TRACING_LAYER", "1", 1);  // the loader reads it in zeInit
  Start();
  Tracer seen;
  memset(&seen, 0, sizeof seen);
  zel_tracer_handle_t tracer = NewTracer(&seen);
  Work("before_tracing");  // a tracer is not enabled at first
  ZE(zelTracerSetEnabled(tracer, 1));
  Work("traced");
  ZE(zelTracerSetEnabled(tracer, 0));
  ZE(zelTracerDestroy(tracer));
  Work("behind_tracing");
  Say("launches", &seen.launches, kRounds);
  Say("copies", &seen.copies, 2 * kRounds);
  Say("waits", &seen.waits, kRounds);
  return Done();
}
