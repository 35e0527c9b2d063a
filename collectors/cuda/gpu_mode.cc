// SPDX-License-Identifier: Apache-2.0
// One record; its text is a name of the stream.
#include "collectors/cuda/gpu_mode.h"

#include "inject/core/emit.h"

namespace syncline::cuda {

void RecordMode(GpuMode mode, const char* why, uint64_t since) {
  HookScope scope;
  if (!scope) return;
  const uint32_t name = *why == '\0' ? 0 : NameId(scope.log(), why);
  char* room = Reserve(scope.log(), sizeof(GpuModeRecord));
  if (room == nullptr) return CountLoss(kLoss_ring_full);
  auto* record = reinterpret_cast<GpuModeRecord*>(room);
  *record = {};
  record->head = {static_cast<uint8_t>(RecordKind::kGpuMode), 0, 1, name};
  record->ticks = since;
  record->mode = mode;
  Publish(scope.log(), sizeof(GpuModeRecord));
}

}  // namespace syncline::cuda
