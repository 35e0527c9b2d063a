// SPDX-License-Identifier: Apache-2.0
// CUPTI starts its worker by pthread_create, through its linkage table: a function of ours stands
// there. On any thread that calls CUPTI: no heap.
#include "collectors/cuda/cupti_threads.h"

#include <pthread.h>

#include <atomic>
#include <cstring>

#include "inject/core/got_slots.h"
#include "inject/core/own_thread.h"

namespace syncline::cuda {
namespace {

using Start = void* (*)(void*);

// What a thread is to run, until it has begun. More at once are counted as the program's.
constexpr int kAtOnce = 16;
struct Beginning {
  std::atomic<bool> taken{false};
  Start start = nullptr;
  void* argument = nullptr;
};
constinit Beginning g_beginnings[kAtOnce];

void* Run(void* argument) {
  auto& beginning = *static_cast<Beginning*>(argument);
  const Start start = beginning.start;
  void* const given = beginning.argument;
  // Release: pairs with Take's acquire; both were read.
  beginning.taken.store(false, std::memory_order_release);
  const UncountedThread uncounted;
  return start(given);
}

Beginning* Take() {
  for (Beginning& beginning : g_beginnings) {
    if (!beginning.taken.exchange(true, std::memory_order_acquire)) return &beginning;
  }
  return nullptr;
}

int Create(pthread_t* thread, const pthread_attr_t* attributes, Start start, void* argument) {
  Beginning* beginning = Take();
  if (beginning == nullptr) return pthread_create(thread, attributes, start, argument);
  beginning->start = start;
  beginning->argument = argument;
  const int result = pthread_create(thread, attributes, Run, beginning);
  if (result != 0) beginning->taken.store(false, std::memory_order_release);
  return result;
}

bool IsCreate(const char* name) { return std::strcmp(name, "pthread_create") == 0; }

bool Replace(const GotSlot& slot) {
  (void)WriteSlot(slot, reinterpret_cast<void*>(&Create));
  return true;
}

}  // namespace

void UncountThreadsOf(const void* library) { FindSlotsOf(library, IsCreate, Replace); }

}  // namespace syncline::cuda
