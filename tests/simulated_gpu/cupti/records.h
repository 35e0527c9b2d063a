// SPDX-License-Identifier: Apache-2.0
// Makes activity records, in their newest form, from what the engine tells.
#pragma once

#include <cupti.h>

#include <cstdint>

#include "tests/simulated_gpu/cupti/layouts.h"
#include "tests/simulated_gpu/engine/observer.h"

namespace simgpu::cupti {

KernelRecord MakeKernel(uint32_t kind, const Operation& operation);
MemcpyRecord MakeMemcpy(const Operation& operation);
CUpti_ActivityMemcpyPtoP4 MakePeerCopy(const Operation& operation);
MemsetRecord MakeMemset(const Operation& operation);
CUpti_ActivityGraphTrace2 MakeGraphTrace(const Operation& operation);
EventRecord MakeEvent(const Operation& operation);
CUpti_ActivitySynchronization2 MakeSynchronization(const Synchronization& synchronization);
CUpti_ActivityMemory4 MakeMemory(const MemoryEvent& event);
CUpti_ActivityMemoryPool3 MakePool(const PoolEvent& event);
CUpti_ActivityModule MakeModule(const ModuleEvent& event);
CUpti_ActivityOverhead3 MakeOverhead(const Overhead& overhead);
DeviceRecord MakeDevice(const DeviceInfo& info);
ContextRecord MakeContext(const Resource& resource);
CUpti_ActivityStream MakeStream(const Resource& resource, uint32_t correlation);
// Start and end on CUPTI's clock.
CUpti_ActivityAPI MakeCall(const ApiCall& call, uint64_t start, uint64_t end);
CUpti_ActivityExternalCorrelation MakeExternalCorrelation(uint32_t kind, uint64_t id,
                                                          uint32_t correlation);

// Puts the record of the client having been asked for a buffer since `asked_ns` (12.6 and newer).
void PutBufferRequestOverhead(uint64_t asked_ns);

// What the fault `garbage` mixes in.
struct GarbageRecords {
  alignas(8) unsigned char unknown[kGarbageSize];
  KernelRecord kernel;
  CUpti_ActivityAPI call;
};
GarbageRecords MakeGarbage(uint64_t number);

// The same text for the life of the process: names in records are the client's for ever.
const char* Interned(const char* text);

// The thread id of records, as cuptiSetThreadIdType asks for it.
uint32_t RecordThread(uint32_t thread, uint64_t pthread);

}  // namespace simgpu::cupti
