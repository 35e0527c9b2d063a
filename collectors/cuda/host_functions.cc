// SPDX-License-Identifier: Apache-2.0
// One note for each function: the number of its call and of its stream.
#include "collectors/cuda/host_functions.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstring>

#include "collectors/cuda/cuda_source.h"
#include "inject/core/emit_device.h"
#include "inject/core/sys.h"

namespace syncline::cuda {
namespace {

// Written once, before the first callback is enabled: relaxed.
std::atomic<const Cupti*> g_numbering;

}  // namespace

NullStream NullStreamOf(const char* callback_name) {
  return std::strstr(callback_name, "_ptsz") == nullptr ? NullStream::kLegacy
                                                        : NullStream::kPerThread;
}

void WatchHostFunctions(const Cupti& cupti) {
  const bool numbers = cupti.cuptiGetContextId != nullptr && cupti.cuptiGetStreamIdEx != nullptr;
  g_numbering.store(numbers ? &cupti : nullptr, std::memory_order_relaxed);
}

void RecordHostFunction(const CUpti_CallbackData& call, NullStream null_stream) {
  ErrnoKeeper keeper;
  const Cupti* cupti = g_numbering.load(std::memory_order_relaxed);
  if (cupti == nullptr || call.functionParams == nullptr || call.context == nullptr) return;
  DeviceEventRecord note =
      NewDeviceEvent(kSource, DeviceEventType::kHostFunction, 0, call.correlationId);
  CUstream stream = *static_cast<const CUstream*>(call.functionParams);
  bool per_thread = stream == nullptr && null_stream == NullStream::kPerThread;
  if (stream == cudaStreamLegacy || stream == cudaStreamPerThread) {
    per_thread = stream == cudaStreamPerThread;
    stream = nullptr;
  }
  if (cupti->cuptiGetContextId(call.context, &note.context) != CUPTI_SUCCESS ||
      cupti->cuptiGetStreamIdEx(call.context, stream, per_thread ? 1 : 0, &note.stream) !=
          CUPTI_SUCCESS)
    return;
  EmitDeviceEvent(HookKind::kEnds, note);
}

}  // namespace syncline::cuda
