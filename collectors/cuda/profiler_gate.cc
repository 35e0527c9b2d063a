// SPDX-License-Identifier: Apache-2.0
// Start and stop of both APIs, by CUPTI's names for them.
#include "collectors/cuda/profiler_gate.h"

#include <cstring>
#include <string_view>

#include "collectors/cuda/calls.h"
#include "inject/core/emit.h"
#include "inject/core/range_gate.h"

namespace syncline::cuda {
namespace {

constexpr uint32_t kMaxCallbacks = 2048;

struct ProfilerCall {
  CUpti_CallbackDomain api;
  CUpti_CallbackId id;
  bool starts;
};
ProfilerCall g_calls_found[4];  // written before the first callback is enabled
uint32_t g_calls_count;

void Find(const Cupti& cupti, CUpti_CallbackDomain api) {
  for (uint32_t id = 1; id < kMaxCallbacks && g_calls_count < 4; ++id) {
    const char* text = nullptr;
    if (cupti.cuptiGetCallbackName(api, id, &text) != CUPTI_SUCCESS || text == nullptr) continue;
    const size_t bytes = PlainName(&text);
    const std::string_view name(text, bytes);
    const bool starts = name == "cudaProfilerStart" || name == "cuProfilerStart";
    if (starts || name == "cudaProfilerStop" || name == "cuProfilerStop")
      g_calls_found[g_calls_count++] = {api, id, starts};
  }
}

}  // namespace

void WatchProfiler(const Cupti& cupti, CUpti_SubscriberHandle subscriber) {
  if (!ProfilerGates()) return;
  if (g_calls_count == 0) {
    Find(cupti, CUPTI_CB_DOMAIN_DRIVER_API);
    Find(cupti, CUPTI_CB_DOMAIN_RUNTIME_API);
  }
  for (uint32_t i = 0; i < g_calls_count; ++i)
    cupti.cuptiEnableCallback(1, subscriber, g_calls_found[i].api, g_calls_found[i].id);
}

bool ProfilerIsWatched() { return g_calls_count != 0; }

void OnProfilerCall(CUpti_CallbackDomain api, CUpti_CallbackId id, CUpti_ApiCallbackSite site) {
  for (uint32_t i = 0; i < g_calls_count; ++i) {
    const ProfilerCall& call = g_calls_found[i];
    if (call.api != api || call.id != id) continue;
    if (call.starts != (site == CUPTI_API_EXIT)) return;
    HookScope scope;
    if (scope) SetProfiled(scope.log(), call.starts);
  }
}

}  // namespace syncline::cuda
