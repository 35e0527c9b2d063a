// SPDX-License-Identifier: Apache-2.0
// The state of the simulated driver in this process: initialised or not, faults in force, the
// observer, threads.
#pragma once

#include <atomic>
#include <cstdint>

#include "tests/simulated_gpu/engine/model.h"
#include "tests/simulated_gpu/engine/observer.h"
#include "tests/simulated_gpu/engine/thread_state.h"

namespace simgpu {

enum class DriverPhase : uint8_t { kNotInitialized, kReady, kForked };

DriverPhase Phase();
// cuInit's work: devices, the truth file, the injection library. A CUresult.
int InitializeDriver();

const Observer* CurrentObserver();
std::atomic<uint32_t>& Categories();
inline bool Observed(Category category) {
  return (Categories().load(std::memory_order_relaxed) & category) != 0;
}

ThreadState* CurrentThread();
uint32_t CurrentTid();
// The outermost call in progress on this thread: the one the program wrote. "" outside of calls.
const char* OutermostCall();
uint32_t CurrentCorrelation();
// When the outermost call in progress that a client of CUPTI sees was entered; 0 where it sees
// none.
uint64_t SeenFromNs();

// The thread's current context, or null.
Context* CurrentContext();

// A CUresult that every call answers from the time a kernel has faulted on; 0 before.
int StickyError();
void ArmStickyError(int error, uint64_t from_ns);
void ClearStickyError();  // the device was reset

}  // namespace simgpu
