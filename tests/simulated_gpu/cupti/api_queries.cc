// SPDX-License-Identifier: Apache-2.0
// The exported functions that only answer: version, time, ids, names of results, what is supported.
#include "tests/simulated_gpu/cupti/answer.h"
#include "tests/simulated_gpu/cupti/clock.h"
#include "tests/simulated_gpu/cupti/engine.h"
#include "tests/simulated_gpu/cupti/settings.h"
#include "tests/simulated_gpu/cupti/version.h"

using namespace simgpu::cupti;  // the functions below have to stand outside

namespace {

// Compute capabilities that CUPTI 12 and 13 know.
constexpr int kOldestMajor = 7, kNewestMajor = 12;

// Checks what all functions that answer an id need, then asks.
template <typename Id, typename Ask>
CUptiResult AnswerId(Id* id, CUptiResult unknown, const Ask& ask) {
  if (id == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  if (const CUptiResult bad = DriverState()) return Answer(bad);
  const Id found = ask(*FindEngine());
  if (found == 0) return Answer(unknown);
  *id = found;
  return CUPTI_SUCCESS;
}

}  // namespace

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiGetVersion(uint32_t* version) {
  if (version == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  *version = ApiVersion(Presented());
  return CUPTI_SUCCESS;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiGetTimestamp(uint64_t* timestamp) {
  if (timestamp == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  *timestamp = TheClock().Now();
  return CUPTI_SUCCESS;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiGetContextId(CUcontext context, uint32_t* id) {
  return AnswerId(id, CUPTI_ERROR_INVALID_CONTEXT, [=](const Engine& engine) {
    return context == nullptr ? 0 : engine.context_id(context);
  });
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiGetStreamIdEx(CUcontext context, CUstream stream,
                                                            uint8_t per_thread, uint32_t* id) {
  return AnswerId(id, CUPTI_ERROR_INVALID_STREAM, [=](const Engine& engine) {
    return engine.stream_id(context, stream, per_thread != 0);
  });
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiGetStreamId(CUcontext context, CUstream stream,
                                                          uint32_t* id) {
  return cuptiGetStreamIdEx(context, stream, 0, id);
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiGetDeviceId(CUcontext context, uint32_t* id) {
  if (id == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  if (const CUptiResult bad = DriverState()) return Answer(bad);
  if (FindEngine()->context_id(context) == 0) return Answer(CUPTI_ERROR_INVALID_DEVICE);
  *id = FindEngine()->device_of(context);
  return CUPTI_SUCCESS;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiGetGraphId(CUgraph graph, uint32_t* id) {
  return AnswerId(id, CUPTI_ERROR_INVALID_PARAMETER,
                  [=](const Engine& engine) { return engine.graph_id(graph); });
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiGetGraphExecId(CUgraphExec graph, uint32_t* id) {
  return AnswerId(id, CUPTI_ERROR_INVALID_PARAMETER,
                  [=](const Engine& engine) { return engine.graph_exec_id(graph); });
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
  return AnswerId(id, CUPTI_ERROR_INVALID_PARAMETER,
                  [=](const Engine& engine) { return engine.graph_node_id(node); });
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result,
                                                              const char** name) {
  const char* found = name == nullptr ? nullptr : ResultName(result);
  if (found == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  *name = found;
  return CUPTI_SUCCESS;
}

// The real one has sentences here; ours are the names.
SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiGetErrorMessage(CUptiResult result,
                                                              const char** message) {
  return cuptiGetResultString(result, message);
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiGetLastError(void) {
  const CUptiResult last = t_last_error;
  t_last_error = CUPTI_SUCCESS;
  return last;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  if (type != CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT &&
      type != CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) {
    return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  }
  Settings::Get().system_thread_ids = type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM;
  return CUPTI_SUCCESS;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiGetThreadIdType(CUpti_ActivityThreadIdType* type) {
  if (type == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  *type = Settings::Get().system_thread_ids ? CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM
                                            : CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
  return CUPTI_SUCCESS;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiComputeCapabilitySupported(int major, int,
                                                                         int* support) {
  if (support == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  *support = major >= kOldestMajor && major <= kNewestMajor ? 2 : 0;  // 2: all of CUPTI
  return CUPTI_SUCCESS;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI cuptiDeviceSupported(CUdevice device, int* support) {
  if (support == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  if (const CUptiResult bad = DriverState()) return Answer(bad);
  if (device < 0 || static_cast<uint32_t>(device) >= FindEngine()->device_count()) {
    return Answer(CUPTI_ERROR_INVALID_DEVICE);
  }
  *support = 1;
  return CUPTI_SUCCESS;
}

SIMGPU_CUPTI_EXPORT CUptiResult CUPTIAPI
cuptiDeviceVirtualizationMode(CUdevice device, CUpti_DeviceVirtualizationMode* mode) {
  int supported = 0;
  if (mode == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  if (const CUptiResult bad = cuptiDeviceSupported(device, &supported)) return bad;
  *mode = CUPTI_DEVICE_VIRTUALIZATION_MODE_NONE;
  return CUPTI_SUCCESS;
}
