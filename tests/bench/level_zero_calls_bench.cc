// SPDX-License-Identifier: Apache-2.0
// What two calls cost a program, through the real loader, on the driver that it finds: a query of
// an event that is signaled, which Syncline records, and the setting of a group size, which it does
// not.
//
//   level_zero_calls_bench          as any program
//   level_zero_calls_bench layer    with the loader's tracing layer switched on
//   level_zero_calls_bench tracer   with a tracer of the loader that hears each of the two calls
//                                   begin and end, and does nothing
//
// Prints JSON: CPU nanoseconds of the thread a call, the least of some rounds.
#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/ze_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace {

constexpr int kRounds = 30;
constexpr int kTurns = 20'000;

void Check(ze_result_t result, const char* what) {
  if (result == ZE_RESULT_SUCCESS) return;
  std::fprintf(stderr, "level_zero_calls_bench: %s answers 0x%x\n", what,
               static_cast<unsigned>(result));
  std::exit(1);
}

template <typename Body>
double LeastNs(Body body) {
  double least = 1e18;
  for (int round = 0; round < kRounds; ++round) {
    timespec before, after;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    for (int i = 0; i < kTurns; ++i) body();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    const double ns = static_cast<double>(after.tv_sec - before.tv_sec) * 1e9 +
                      static_cast<double>(after.tv_nsec - before.tv_nsec);
    least = std::min(least, ns / kTurns);
  }
  return least;
}

unsigned long g_heard;

void OnQuery(ze_event_query_status_params_t*, ze_result_t, void*, void**) { ++g_heard; }
void OnGroupSize(ze_kernel_set_group_size_params_t*, ze_result_t, void*, void**) { ++g_heard; }

void StartTracer() {
  zel_tracer_desc_t description{};
  description.stype = ZEL_STRUCTURE_TYPE_TRACER_EXP_DESC;
  zel_tracer_handle_t tracer = nullptr;
  Check(zelTracerCreate(&description, &tracer), "zelTracerCreate");
  zel_core_callbacks_t calls{};
  calls.Event.pfnQueryStatusCb = OnQuery;
  calls.Kernel.pfnSetGroupSizeCb = OnGroupSize;
  Check(zelTracerSetPrologues(tracer, &calls), "zelTracerSetPrologues");
  Check(zelTracerSetEpilogues(tracer, &calls), "zelTracerSetEpilogues");
  Check(zelTracerSetEnabled(tracer, 1), "zelTracerSetEnabled");
}

ze_context_handle_t g_context;
ze_device_handle_t g_device;

ze_event_handle_t SignaledEvent() {
  ze_event_pool_desc_t pool_description{};
  pool_description.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC;
  pool_description.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
  pool_description.count = 1;
  ze_event_pool_handle_t pool = nullptr;
  Check(zeEventPoolCreate(g_context, &pool_description, 0, nullptr, &pool), "zeEventPoolCreate");
  ze_event_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_EVENT_DESC;
  ze_event_handle_t event = nullptr;
  Check(zeEventCreate(pool, &description, &event), "zeEventCreate");
  Check(zeEventHostSignal(event), "zeEventHostSignal");
  return event;
}

ze_kernel_handle_t Kernel() {
  constexpr uint8_t kBlob[4] = {3, 2, 0x23, 7};
  ze_module_desc_t module_description{};
  module_description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
  module_description.format = ZE_MODULE_FORMAT_IL_SPIRV;
  module_description.inputSize = sizeof(kBlob);
  module_description.pInputModule = kBlob;
  ze_module_handle_t module = nullptr;
  Check(zeModuleCreate(g_context, g_device, &module_description, &module, nullptr),
        "zeModuleCreate");
  ze_kernel_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
  description.pKernelName = "a_kernel";
  ze_kernel_handle_t kernel = nullptr;
  Check(zeKernelCreate(module, &description, &kernel), "zeKernelCreate");
  return kernel;
}

void Start() {
  uint32_t count = 1;
  ze_driver_handle_t driver = nullptr;
  Check(zeInit(0), "zeInit");
  Check(zeDriverGet(&count, &driver), "zeDriverGet");
  count = 1;
  Check(zeDeviceGet(driver, &count, &g_device), "zeDeviceGet");
  ze_context_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC;
  Check(zeContextCreate(driver, &description, &g_context), "zeContextCreate");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "";
  if (!how.empty()) setenv("ZE_ENABLE_TRACING_LAYER", "1", 1);
  Start();
  if (how == "tracer") StartTracer();
  ze_event_handle_t event = SignaledEvent();
  ze_kernel_handle_t kernel = Kernel();
  const double query = LeastNs([event] { Check(zeEventQueryStatus(event), "zeEventQueryStatus"); });
  const double group =
      LeastNs([kernel] { Check(zeKernelSetGroupSize(kernel, 32, 1, 1), "zeKernelSetGroupSize"); });
  if (how == "tracer" && g_heard != 4ul * kRounds * kTurns) {
    std::fprintf(stderr, "level_zero_calls_bench: the tracer heard %lu\n", g_heard);
    return 1;
  }
  std::printf("{\"query_ns\": %.1f, \"set_group_size_ns\": %.1f}\n", query, group);
  return 0;
}
