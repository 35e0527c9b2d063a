// SPDX-License-Identifier: Apache-2.0
// One note for each stream and context that is made.
#include "collectors/cuda/object_ids.h"

#include <atomic>
#include <cstring>
#include <initializer_list>

#include "inject/core/emit.h"
#include "inject/core/sys.h"

namespace syncline::cuda {
namespace {

// Written once, before the first callback is enabled: relaxed.
std::atomic<const Cupti*> g_cupti;

void WriteHandle(DeviceNoteType type, const void* handle, uint32_t context, uint32_t stream) {
  HookScope scope;
  if (!scope) return;
  DeviceNoteRecord note{};
  note.head = {static_cast<uint8_t>(RecordKind::kDeviceNote), 0, sizeof(note) / kSlotBytes, 0};
  note.type = type;
  note.address = reinterpret_cast<uintptr_t>(handle);
  note.context = context;
  note.stream = stream;
  char* room = Reserve(scope.log(), sizeof(note));
  if (room == nullptr) return CountLoss(kLoss_ring_full);
  std::memcpy(room, &note, sizeof(note));
  Publish(scope.log(), sizeof(note));
}

}  // namespace

void WatchObjects(const Cupti& cupti, CUpti_SubscriberHandle subscriber) {
  if (cupti.cuptiGetContextId == nullptr || cupti.cuptiGetStreamIdEx == nullptr) return;
  g_cupti.store(&cupti, std::memory_order_relaxed);
  for (const CUpti_CallbackId id :
       {CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_STREAM_CREATED}) {
    (void)cupti.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, id);
  }
}

void OnObject(CUpti_CallbackId id, const CUpti_ResourceData& object) {
  ErrnoKeeper keeper;
  const Cupti* cupti = g_cupti.load(std::memory_order_relaxed);
  uint32_t context = 0, stream = 0;
  if (cupti == nullptr || object.context == nullptr ||
      cupti->cuptiGetContextId(object.context, &context) != CUPTI_SUCCESS) {
    return;
  }
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED)
    return WriteHandle(DeviceNoteType::kContextHandle, object.context, context, 0);
  CUstream handle = object.resourceHandle.stream;
  if (id == CUPTI_CBID_RESOURCE_STREAM_CREATED &&
      cupti->cuptiGetStreamIdEx(object.context, handle, 0, &stream) == CUPTI_SUCCESS) {
    WriteHandle(DeviceNoteType::kStreamHandle, handle, context, stream);
  }
}

}  // namespace syncline::cuda
