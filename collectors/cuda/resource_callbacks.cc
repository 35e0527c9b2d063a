// SPDX-License-Identifier: Apache-2.0
// One note for each stream and context that is made.
#include "collectors/cuda/resource_callbacks.h"

#include <atomic>
#include <initializer_list>

#include "collectors/cuda/cuda_source.h"
#include "inject/core/emit.h"
#include "inject/core/sys.h"

namespace syncline::cuda {
namespace {

// Written once, before the first callback is enabled: relaxed.
std::atomic<const Cupti*> g_naming;

void WriteHandle(DeviceEventType type, const void* handle, uint32_t context, uint32_t stream) {
  HookScope scope;
  if (!scope) return;
  DeviceEventRecord note{};
  note.head = {static_cast<uint8_t>(RecordKind::kDeviceEvent), 0, sizeof(note) / kSlotBytes, 0};
  note.type = type;
  note.source = kSource;
  note.address = reinterpret_cast<uintptr_t>(handle);
  note.context = context;
  note.stream = stream;
  if (!Emit(scope.log(), note)) CountLoss(kLoss_ring_full);
}

}  // namespace

void WatchResources(const Cupti& cupti, CUpti_SubscriberHandle subscriber) {
  if (cupti.cuptiGetContextId == nullptr || cupti.cuptiGetStreamIdEx == nullptr) return;
  g_naming.store(&cupti, std::memory_order_relaxed);
  for (const CUpti_CallbackId id :
       {CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_STREAM_CREATED}) {
    (void)cupti.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, id);
  }
}

void OnResourceCreated(CUpti_CallbackId id, const CUpti_ResourceData& object) {
  ErrnoKeeper keeper;
  const Cupti* cupti = g_naming.load(std::memory_order_relaxed);
  uint32_t context = 0, stream = 0;
  if (cupti == nullptr || object.context == nullptr ||
      cupti->cuptiGetContextId(object.context, &context) != CUPTI_SUCCESS) {
    return;
  }
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED)
    return WriteHandle(DeviceEventType::kContextHandle, object.context, context, 0);
  CUstream handle = object.resourceHandle.stream;
  if (id == CUPTI_CBID_RESOURCE_STREAM_CREATED &&
      cupti->cuptiGetStreamIdEx(object.context, handle, 0, &stream) == CUPTI_SUCCESS) {
    WriteHandle(DeviceEventType::kStreamHandle, handle, context, stream);
  }
}

}  // namespace syncline::cuda
