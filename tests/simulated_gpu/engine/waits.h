// SPDX-License-Identifier: Apache-2.0
// The host waits: blocks the calling thread as docs/waits.md says, and writes each wait to the
// truth file.
#pragma once

#include <cstdint>
#include <optional>

#include "tests/simulated_gpu/engine/thread_state.h"
#include "tests/simulated_gpu/engine/timeline.h"

namespace simgpu {

enum class WaitClass : uint8_t {
  kDevice,
  kStream,
  kEvent,
  kLegacyStream,
  kSyncCopy,
  kPageableCopy,
  kAllocation,
  kQuerySpin,
  kQueueFull,
  kModuleLoad,
  kGraph,
};

// Which waits are written down (docs/waits.md, rule 1).
enum class Record : uint8_t { kAlways, kIfItWaited };

// Waits until `what` is over. `entry_ns`: when the call began. Returns when it was over. Without
// the engine lock. `waiting`: by default as the flags of the thread's context say.
uint64_t HostWait(WaitClass wait_class, const Dependencies& what, uint64_t entry_ns, Record record,
                  std::optional<Waiting> waiting = std::nullopt);

// A query of `object`, which stands for `what`, from `entry_ns` to now; EndSpin is called by every
// other call of the thread. Without the engine lock.
void NoteQuery(const void* object, bool ready, uint64_t entry_ns, const Dependencies& what);
void EndSpin(ThreadState* thread);

}  // namespace simgpu
