// SPDX-License-Identifier: Apache-2.0
// What collectors of devices call to record their work and what was noted of it.
#pragma once

#include <cstring>

#include "inject/core/device_times.h"
#include "inject/core/emit.h"

namespace syncline {

inline DeviceOpRecord NewDeviceOp(Source source, DeviceOpType type, bool async) {
  DeviceOpRecord op{};
  op.head.kind = static_cast<uint8_t>(RecordKind::kDeviceOp);
  op.head.flags = async ? kAsync : 0;
  op.type = type;
  op.source = source;
  return op;
}

// `kernel`: null where it is none. False: there was no room (counted).
inline bool EmitDeviceOp(ThreadLog& log, const DeviceOpRecord& op, uint32_t name,
                         const KernelDetails* kernel) {
  if (HasDeviceTimes()) FollowOperation(op);
  const size_t bytes = sizeof(op) + (kernel == nullptr ? 0 : sizeof(*kernel));
  char* room = Reserve(log, bytes);
  if (room == nullptr) {
    CountLoss(kLoss_ring_full);
    return false;
  }
  std::memcpy(room, &op, sizeof(op));
  if (kernel != nullptr) std::memcpy(room + sizeof(op), kernel, sizeof(*kernel));
  auto* head = reinterpret_cast<RecordHead*>(room);
  head->id = name;
  head->slots = static_cast<uint16_t>(bytes / kSlotBytes);
  if (kernel != nullptr) head->flags |= kHasKernel;
  Publish(log, bytes);
  return true;
}

inline DeviceEventRecord NewDeviceEvent(Source source, DeviceEventType type, uint32_t id,
                                        uint32_t correlation) {
  DeviceEventRecord event{};
  event.head = {static_cast<uint8_t>(RecordKind::kDeviceEvent), 0, sizeof(event) / kSlotBytes, id};
  event.type = type;
  event.correlation = correlation;
  event.source = source;
  return event;
}

inline void EmitDeviceEvent(HookKind kind, const DeviceEventRecord& event) {
  const HookScope scope(kind);
  if (scope && !Emit(scope.log(), event)) CountLoss(kLoss_ring_full);
}

}  // namespace syncline
