// SPDX-License-Identifier: Apache-2.0
// Memory and events that several processes of one machine use: what CUDA's IPC handles stand for.
#pragma once

#include <atomic>
#include <cstdint>

#include "tests/simulated_gpu/engine/model.h"

namespace simgpu {

// What is in a handle: a file descriptor of the process that made it. Fits into a CUipcMemHandle.
struct IpcName {
  uint64_t magic = 0;
  int32_t process = 0, descriptor = 0;
  uint64_t bytes = 0;
};

// The record of an interprocess event that is the last in all processes. What lies in the shared
// page of its handle.
struct SharedRecord {
  std::atomic<uint64_t> number{0};  // of records so far; release: end_ns belongs to it
  std::atomic<uint64_t> end_ns{0};
};

// Answers are CUresults. The allocation that holds `address` becomes shared memory in place.
int ShareMemory(const void* address, IpcName* name);
int OpenMemory(const IpcName& name, Context* context, void** address);
int CloseMemory(void* address);
void ForgetShared(uint64_t allocation_id);  // it is freed here; other processes keep it

int ShareEvent(Event* event, IpcName* name);
int OpenEvent(const IpcName& name, Context* context, Event** event);
// The event was recorded here. One whose end is not known yet counts elsewhere as over at once.
void PublishRecord(Event* event);
// Under the engine lock: what was recorded elsewhere, if that is newer.
void TakeRecord(Event* event);

}  // namespace simgpu
