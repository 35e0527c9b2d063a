// SPDX-License-Identifier: Apache-2.0
// Graphs that lists record: what goes into one is not executed now, and what one executes has no
// events of ours.
#include "collectors/level_zero/appends.h"
#include "collectors/level_zero/hooks.h"

namespace syncline::level_zero::hooks {
namespace {

ze_result_t Began(ze_command_list_handle_t handle, ze_result_t result) {
  List* list = g_objects.lists.Find(handle);
  if (result == ZE_RESULT_SUCCESS && list != nullptr) list->captures = true;
  return result;
}

}  // namespace

ze_result_t CommandListBeginGraphCapture(BeginCapture real, ze_command_list_handle_t list,
                                         const void* next) {
  return Began(list, real(list, next));
}

ze_result_t CommandListBeginCaptureIntoGraph(BeginCaptureInto real, ze_command_list_handle_t list,
                                             void* graph, const void* next) {
  return Began(list, real(list, graph, next));
}

ze_result_t CommandListEndGraphCapture(EndCapture real, ze_command_list_handle_t handle,
                                       void* first, void* second) {
  const ze_result_t result = real(handle, first, second);
  List* list = g_objects.lists.Find(handle);
  if (result == ZE_RESULT_SUCCESS && list != nullptr) list->captures = false;
  return result;
}

// The names differ in their ends only; which one it was is not told.
ze_result_t CommandListAppendGraph(AppendGraph real, ze_command_list_handle_t list, void* graph,
                                   const void* next, ze_event_handle_t signal, uint32_t count,
                                   ze_event_handle_t* waits) {
  static constexpr AppendNames kNames = OtherNames("zeCommandListAppendGraph");
  Append append(list, kNames, signal);
  append.Waits(count, waits);
  const ze_result_t result = append.End(real(list, graph, next, signal, count, waits));
  if (result == ZE_RESULT_SUCCESS && !append.is_captured()) CountLoss(kLoss_ze_graph);
  return result;
}

}  // namespace syncline::level_zero::hooks
