// SPDX-License-Identifier: Apache-2.0
// CUPTI's clock between two readings of the ticks; of a few tries the closest.
#include "collectors/cuda/device_clock.h"

#include <atomic>

#include "collectors/cuda/cuda_source.h"
#include "inject/core/emit.h"

namespace syncline::cuda {
namespace {

constexpr int kTries = 4;

std::atomic<decltype(Cupti::cuptiGetTimestamp)> g_timestamp;

}  // namespace

void UseDeviceClock(const Cupti& cupti) {
  g_timestamp.store(cupti.cuptiGetTimestamp, std::memory_order_release);
}

uint64_t DeviceNow() {
  const auto timestamp = g_timestamp.load(std::memory_order_acquire);
  uint64_t ns = 0;
  return timestamp != nullptr && timestamp(&ns) == CUPTI_SUCCESS ? ns : 0;
}

void RecordDeviceClock() {
  const auto timestamp = g_timestamp.load(std::memory_order_acquire);
  if (timestamp == nullptr) return;
  // Starts the session where there is none: until then it is not known which clock ticks.
  if (!HookScope()) return;
  uint64_t before = 0, after = UINT64_MAX, device_ns = 0;
  for (int i = 0; i < kTries; ++i) {
    uint64_t ns = 0;
    const uint64_t first = Ticks();
    if (timestamp(&ns) != CUPTI_SUCCESS) return;
    const uint64_t second = Ticks();
    if (second - first >= after - before) continue;
    before = first;
    after = second;
    device_ns = ns;
  }
  HookScope scope;
  if (!scope) return;
  const DeviceClockRecord record = {
      {static_cast<uint8_t>(RecordKind::kDeviceClock), kSource, 1, 0}, before, device_ns, after};
  if (!Emit(scope.log(), record)) CountLoss(kLoss_ring_full);
}

}  // namespace syncline::cuda
