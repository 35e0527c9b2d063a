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

// Device less host; a stale one only makes that more is written.
struct Moment {
  std::atomic<uint64_t> host_ns;
  std::atomic<uint64_t> device_ns;
};
Moment g_compared;

bool Compare(uint64_t host_ns) {
  if (host_ns - g_compared.host_ns.load(std::memory_order_relaxed) < kCompareEveryNs) return true;
  const uint64_t device_ns = DeviceNow();
  if (device_ns == 0) return false;
  g_compared.device_ns.store(device_ns, std::memory_order_relaxed);
  g_compared.host_ns.store(host_ns, std::memory_order_relaxed);
  return true;
}

}  // namespace

bool IsLeftOut(ThreadLog& log, const DeviceOpRecord& op) {
  if ((log.busy & kHasGate) == 0 || IsOpen(GateOf(log))) return false;
  if (g_calls.WasRecorded(op.correlation) || !Compare(MonotonicNs())) return false;
  const uint64_t now_ns = g_compared.device_ns.load(std::memory_order_relaxed);
  const uint64_t since_ns = g_compared.host_ns.load(std::memory_order_relaxed) -
                            log.segment->closed_ns.load(std::memory_order_relaxed);
  // Closed after the clocks were compared: wait for the next comparison.
  const bool left_out =
      since_ns < now_ns && op.begin > now_ns - since_ns + kNearNs && op.end + kSoonNs < now_ns;
  if (left_out) CountGated(log, kGatedDeviceOps);
  return left_out;
}

}  // namespace syncline::cuda
