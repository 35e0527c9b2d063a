// SPDX-License-Identifier: Apache-2.0
// One API call in progress: who makes it, whether it is refused, and what the truth file is told of
// waits and spins.
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/simulated_gpu/level_zero/timeline.h"

namespace simgpu::level_zero {

// Each API function begins with one.
class Call {
 public:
  enum Kind {
    kPlain,
    kQuery,  // may go on with a spin; the others end it
    kAlways  // also before zeInit and after the device was lost
  };
  explicit Call(const char* name, Kind kind = kPlain);
  ze_result_t refusal() const { return refusal_; }

 private:
  ze_result_t refusal_ = ZE_RESULT_SUCCESS;
};

#define SIMGPU_ZE_ENTER(...)                            \
  const Call call(__func__ __VA_OPT__(, ) __VA_ARGS__); \
  if (call.refusal() != ZE_RESULT_SUCCESS) return call.refusal()

const char* CurrentCall();  // of this thread
uint32_t CurrentThreadId();

ze_result_t InitializeDriver();
void LoseDevice();  // every call from now on answers that; waits end. Under the lock.
bool DeviceIsLost();

// A call that is not modelled: said once on fd 2, and in the truth file.
void SayUnsupported(const char* function);

// What a host thread waits for, or asks about.
struct Target {
  std::shared_ptr<Semaphore> semaphore;
  std::vector<std::shared_ptr<Operation>> operations;
  struct Over {
    uint64_t ns, id;
  };
  // When it is over for someone who looks from `from_ns` on, as far as known. Under the lock.
  bool When(uint64_t from_ns, Over* over) const;
};

enum class WaitClass : uint8_t { kStream, kEvent, kSyncCopy, kAllocation, kQuerySpin, kDevice };
enum class Record : uint8_t { kAlways, kIfItWaited };

// Blocks until `target` is over, or for `timeout_ns`. Without the lock.
ze_result_t HostWait(WaitClass wait_class, const Target& target, Record record,
                     uint64_t timeout_ns = UINT64_MAX);

// A question about `object`, which stands for `target`; rule E7 of docs/level_zero.md. The call
// must be a kQuery. Without the lock.
ze_result_t Query(const void* object, const Target& target);

}  // namespace simgpu::level_zero
