// SPDX-License-Identifier: Apache-2.0
// Graphs that an immediate list records, of Intel's experimental extension: a graph is a list of
// commands that no program sees.
#include <cstring>

#include "tests/simulated_gpu/level_zero/append.h"
#include "tests/simulated_gpu/level_zero/extensions.h"

namespace simgpu::level_zero {
namespace {

ze_result_t ZE_APICALL zeGraphCreateExp(ze_context_handle_t context, void** graph, void*) {
  SIMGPU_ZE_ENTER();
  EngineLock lock(EngineMutex());
  if (Find<Context>(context) == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  auto made = std::make_shared<List>();
  made->closed = true;
  *graph = NewHandle(std::move(made));
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListBeginCaptureIntoGraphExp(ze_command_list_handle_t handle,
                                                             void* graph, void*) {
  SIMGPU_ZE_ENTER();
  EngineLock lock(EngineMutex());
  const auto list = Find<List>(handle);
  const auto into = Find<List>(graph);
  if (list == nullptr || into == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (list->stream == nullptr || list->graph != nullptr) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  into->ordinal = list->ordinal;
  list->graph = into;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListEndGraphCaptureExp(ze_command_list_handle_t handle,
                                                       void** /*graph*/, void*) {
  SIMGPU_ZE_ENTER();
  EngineLock lock(EngineMutex());
  const auto list = Find<List>(handle);
  if (list == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (list->graph == nullptr) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  list->graph.reset();
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListInstantiateGraphExp(void* graph, void** executable, void*) {
  SIMGPU_ZE_ENTER();
  EngineLock lock(EngineMutex());
  const auto recorded = Find<List>(graph);
  if (recorded == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  *executable = NewHandle(recorded);
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListAppendGraphExp(ze_command_list_handle_t list, void* executable,
                                                   void*, ze_event_handle_t signal, uint32_t count,
                                                   ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  const auto graph = static_cast<ze_command_list_handle_t>(executable);
  return AppendLists(list, 1, &graph, {signal, count, waits});
}

}  // namespace

void* GraphCall(const char* name) {
#define SIMGPU_ZE_GRAPH_CALL(function) \
  if (std::strcmp(name, #function) == 0) return reinterpret_cast<void*>(&function)
  SIMGPU_ZE_GRAPH_CALL(zeGraphCreateExp);
  SIMGPU_ZE_GRAPH_CALL(zeCommandListBeginCaptureIntoGraphExp);
  SIMGPU_ZE_GRAPH_CALL(zeCommandListEndGraphCaptureExp);
  SIMGPU_ZE_GRAPH_CALL(zeCommandListInstantiateGraphExp);
  SIMGPU_ZE_GRAPH_CALL(zeCommandListAppendGraphExp);
#undef SIMGPU_ZE_GRAPH_CALL
  return nullptr;
}

}  // namespace simgpu::level_zero
