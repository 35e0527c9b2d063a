// SPDX-License-Identifier: Apache-2.0
// The hooks that the engine calls, by what they are about.
#pragma once

#include "tests/simulated_gpu/engine/observer.h"

namespace simgpu::cupti {

// All hooks below, for simgpu_set_observer.
const Observer& Hooks();

// hooks_calls.cc
void OnApiEnter(ApiCall* call);
void OnApiExit(ApiCall* call);

// hooks_operations.cc
void OnSubmitted(Operation* operation);
void OnCompleted(const Operation* operation);
void OnSynchronized(const Synchronization* synchronization);
void OnMemory(const MemoryEvent* event);
void OnPool(const PoolEvent* event);
void OnOverhead(const Overhead* overhead);

// hooks_resources.cc
void OnModule(const ModuleEvent* event);
void OnResource(const Resource* resource, bool created);
// The activity record of a resource that exists, for cuptiActivityEnableAndDump.
void PutResource(const Resource& resource);

}  // namespace simgpu::cupti
