// SPDX-License-Identifier: Apache-2.0
// The device's clock and the host's are compared now and then.
#include "collectors/cuda/left_out_work.h"

#include <atomic>

#include "collectors/cuda/cuda_source.h"
#include "collectors/cuda/device_clock.h"
#include "inject/core/gate.h"

namespace syncline::cuda {
namespace {

constexpr uint64_t kNearNs = 1'000'000;  // readers keep what ended so long before an opening
constexpr uint64_t kSoonNs = 2 * kNearNs;
constexpr uint64_t kCompareEveryNs = 1'000'000;

std::atomic<uint64_t> g_compared_ns;  // MONOTONIC
std::atomic<uint64_t> g_offset;       // the device's clock less that, modulo 2^64

// False: CUPTI does not tell its time.
bool Compare(uint64_t now_ns) {
  if (now_ns - g_compared_ns.load(std::memory_order_relaxed) < kCompareEveryNs) return true;
  const uint64_t device_ns = DeviceNow();
  if (device_ns == 0) return false;
  g_offset.store(device_ns - now_ns, std::memory_order_relaxed);
  g_compared_ns.store(now_ns, std::memory_order_relaxed);
  return true;
}

}  // namespace

bool IsLeftOut(ThreadLog& log, const DeviceOpRecord& op) {
  if ((log.busy & kHasGate) == 0 || IsOpen(GateOf(log))) return false;
  const uint64_t now_ns = MonotonicNs();
  if (g_calls.WasRecorded(op.correlation) || !Compare(now_ns)) return false;
  const uint64_t offset = g_offset.load(std::memory_order_relaxed);
  const uint64_t closed_ns = log.segment->closed_ns.load(std::memory_order_relaxed);
  const bool left_out =
      op.begin > closed_ns + offset + kNearNs && op.end + kSoonNs < now_ns + offset;
  if (left_out) CountGated(log, kGatedDeviceOps);
  return left_out;
}

}  // namespace syncline::cuda
