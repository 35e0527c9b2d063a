// SPDX-License-Identifier: Apache-2.0
// Asks the engine for exactly what subscribers and activity kinds want.
#include "tests/simulated_gpu/cupti/observer.h"

#include <mutex>

#include "tests/simulated_gpu/cupti/client.h"
#include "tests/simulated_gpu/cupti/engine.h"
#include "tests/simulated_gpu/cupti/hooks.h"
#include "tests/simulated_gpu/cupti/subscribers.h"

namespace simgpu::cupti {
namespace {

struct CategoryOfKind {
  uint32_t kind;
  uint32_t category;
};

constexpr CategoryOfKind kCategories[] = {
    {CUPTI_ACTIVITY_KIND_KERNEL, kOperations},
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, kOperations},
    {CUPTI_ACTIVITY_KIND_MEMCPY, kOperations},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, kOperations},
    {CUPTI_ACTIVITY_KIND_MEMSET, kOperations},
    {CUPTI_ACTIVITY_KIND_GRAPH_TRACE, kOperations},
    {CUPTI_ACTIVITY_KIND_CUDA_EVENT, kOperations},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, kSynchronizations},
    {CUPTI_ACTIVITY_KIND_MEMORY2, kMemory},
    {CUPTI_ACTIVITY_KIND_MEMORY_POOL, kPools},
    {CUPTI_ACTIVITY_KIND_MODULE, kModules},
    {CUPTI_ACTIVITY_KIND_DEVICE, kResources},
    {CUPTI_ACTIVITY_KIND_CONTEXT, kResources},
    {CUPTI_ACTIVITY_KIND_STREAM, kResources},
    {CUPTI_ACTIVITY_KIND_OVERHEAD, kOverheads},
};

uint32_t WantedCategories() {
  uint32_t wanted = 0;
  for (const CategoryOfKind& row : kCategories) {
    if (Client::Get().kinds().OnSomewhere(row.kind)) wanted |= row.category;
  }
  const Subscribers& subscribers = Subscribers::Get();
  if (subscribers.WantsAnyOf(CUPTI_CB_DOMAIN_RESOURCE)) wanted |= kResources | kModules;
  if (subscribers.WantsAnyOf(CUPTI_CB_DOMAIN_SYNCHRONIZE)) wanted |= kSynchronizations;
  return wanted;
}

std::mutex& UpdateMutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

void UpdateObserver() {
  const Engine* engine = FindEngine();
  if (engine == nullptr) return;
  std::lock_guard lock(UpdateMutex());
  engine->categories()->store(WantedCategories(), std::memory_order_relaxed);
  ApiSwitches* switches = engine->api_switches();
  for (const Domain domain : {Domain::kDriver, Domain::kRuntime}) {
    const uint32_t row = static_cast<uint32_t>(domain);
    for (uint32_t cbid = 0; cbid < kMostCbids; ++cbid) {
      const bool wanted =
          Subscribers::Get().Wants(row, cbid) || Client::Get().kinds().CallOn(domain, cbid);
      switches->on[row][cbid].store(wanted, std::memory_order_relaxed);
    }
  }
}

void StartObserving() {
  if (const Engine* engine = FindEngine()) engine->set_observer(&Hooks());
}

void StopObserving() {
  if (const Engine* engine = FindEngine()) engine->set_observer(nullptr);
}

}  // namespace simgpu::cupti
